/** Parses a text that is a JSON object or list. Returns any other value unchanged. Models often answer with JSON in a text. */
export function parseIfJson(found: unknown): unknown {
  if (typeof found !== 'string' || !/^\s*[[{]/.test(found) || !/[\]}]\s*$/.test(found)) return found
  try {
    return JSON.parse(found) as unknown
  } catch {
    return found
  }
}
