const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g

/** Adds everything in a text that may be the hash of a program or of a blob. */
export function addHashes(text: string, to: Set<string>): void {
  for (const [hash] of text.matchAll(HASH)) to.add(hash)
}
