/** Returns the object or list that a text holds as JSON; any other value as it is. Models answer with JSON in a text. */
export function parseIfJson(found: unknown): unknown {
  if (typeof found !== 'string' || !/^\s*[[{]/.test(found) || !/[\]}]\s*$/.test(found)) return found
  try {
    return JSON.parse(found) as unknown
  } catch {
    return found
  }
}
