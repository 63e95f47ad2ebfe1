/** Returns the capability of a function. */
export function functionCapability(name: string): string {
  return `arbor://function/${encodeURIComponent(name)}`
}
