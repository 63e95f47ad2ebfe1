const KEPT = 'reflex.token'

/**
 * Returns the token of the address, `#token=…`, else the one that this tab has. It is removed from the address at once, so that it is in no
 * history, no bookmark and no screenshot.
 * @returns {string | undefined}
 */
export function takeToken() {
  const token = tokenIn(location.hash)
  if (token === undefined) return sessionStorage.getItem(KEPT) ?? undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  keepToken(token)
  return token
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(KEPT, token)
}

export function forgetToken() {
  sessionStorage.removeItem(KEPT)
}

/**
 * Returns the token in an address that the server printed; undefined if there is none.
 * @param {string} text
 */
export function tokenIn(text) {
  const found = new URLSearchParams(text.slice(text.indexOf('#') + 1)).get('token')
  return found === null || found === '' ? undefined : found
}
