// Addresses of pages: they stand behind `#`, so that the console works below any prefix.

/** @returns {{ path: string[], query: URLSearchParams }} */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = (path ?? '').split('/').filter((part) => part !== '');
  return { path: parts.map(decoded), query: new URLSearchParams(query ?? '') };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The link to a page. @param {(string | number)[]} path @param {Record<string, string | number | null | undefined>} [query] */
export function link(path, query = {}) {
  const wishes = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const search = new URLSearchParams(wishes.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(String(part))).join('/')}${search ? `?${search}` : ''}`;
}

/** Puts another address in the place of this one, without a new page. @param {string} to */
export const replace = (to) => history.replaceState(history.state, '', to);
