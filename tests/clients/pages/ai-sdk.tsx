import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';

type RoomMessage = UIMessage<unknown, { agent: { agent: string }; notice: { words: string }; refused: { words: string } }>;

export const chatIn = (room: string, token: string) => new Chat<RoomMessage>({
  transport: new DefaultChatTransport({
    api: `/v1/worlds/${room}/ai-sdk`,
    headers: { authorization: `Bearer ${token}` },
    prepareReconnectToStreamRequest: ({ api }) => ({ api: `${api}/stream` }),
  }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});

const words = ({ message }: Error) => { try { return JSON.parse(message).detail; } catch { return message; } };

export function Room({ chat }: { chat: Chat<RoomMessage> }) {
  const { messages, error, sendMessage, addToolApprovalResponse } = useChat({ chat, resume: true });
  const part = (part: RoomMessage['parts'][number], key: number) => {
    if (part.type === 'text') return <p key={key}>{part.text}</p>;
    if (part.type === 'data-agent') return <b key={key}>{part.data.agent}</b>;
    if (part.type === 'data-notice' || part.type === 'data-refused') return <em key={key}>{part.data.words}</em>;
    if (part.type !== 'dynamic-tool') return null;
    if (part.state !== 'approval-requested') return <pre key={key}>{part.toolName}: {part.state}</pre>;
    const decide = async (approved: boolean) => {
      await addToolApprovalResponse({ id: part.approval.id, approved });
      if (!messages.at(-1)?.parts.includes(part)) await sendMessage(); // by itself only the last answer is sent
    };
    return <p key={key}>{part.approval.requestReason} <button onClick={() => decide(true)}>Allow</button> <button onClick={() => decide(false)}>Deny</button></p>;
  };
  return <main>
    {messages.map((message) => <section key={message.id}>{message.parts.map(part)}</section>)}
    {error && <p role="alert">{words(error)}</p>}
    <form action={(form) => void sendMessage({ text: String(form.get('text')) })}><input name="text" /></form>
  </main>;
}
