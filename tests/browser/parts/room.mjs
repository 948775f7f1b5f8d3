// Acts of people in a room, by the roles and names that they find there.

export const composer = (page) => page.getByRole('textbox', { name: 'Message' });

export async function say(page, text) {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** The words of messages, in their order. */
export const wordsOf = (page) => page.locator('article[data-message] .prose').allInnerTexts();

/** The messages whose own words hold `text`, drafts left out. */
export const message = (page, text) => page.locator('article[data-message]').filter({ has: page.locator('.prose', { hasText: text }) });

/** Does something with the first message that holds `text`, by its menu. */
export async function act(page, text, action) {
  const one = message(page, text).first();
  await one.hover();
  await one.getByLabel(/Do something with the message/).click();
  await one.getByRole('button', { name: action }).or(one.getByRole('link', { name: action })).click();
}

/** The card of a request. */
export const card = (page) => page.locator('fm-request');
