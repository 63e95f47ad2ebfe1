/** Returns a number of the order of commits as a place. */
export function placeText(number: number): string {
  return number.toString(36)
}

/** Returns the number of a place, or undefined if it is none. */
export function readPlace(text: string): number | undefined {
  if (!/^[0-9a-z]{1,11}$/.test(text)) return undefined
  const number = Number.parseInt(text, 36)
  return Number.isSafeInteger(number) && placeText(number) === text ? number : undefined
}
