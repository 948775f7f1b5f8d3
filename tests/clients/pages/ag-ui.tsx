import { CopilotChat, CopilotKitProvider, HttpAgent, useInterrupt } from '@copilotkit/react-core/v2';

type Props = { server: string; room: string; token: string };

function Approval() {
  useInterrupt({
    renderInChat: true,
    render: ({ interrupt, resolve, cancel }) => (
      <form>
        <p>{interrupt?.message}</p>
        <button type="button" onClick={() => resolve({ approved: true })}>Allow</button>
        <button type="button" onClick={() => cancel()}>Deny</button>
      </form>
    ),
  });
  return null;
}

export function Room({ server, room, token }: Props) {
  const url = `${server}/v1/worlds/${room}/ag-ui`;
  const headers = { authorization: `Bearer ${token}` };
  const agent = new HttpAgent({ url, headers, threadId: room });
  return (
    <CopilotKitProvider selfManagedAgents={{ room: agent }}>
      <Approval />
      <CopilotChat agentId="room" threadId={room} />
    </CopilotKitProvider>
  );
}
