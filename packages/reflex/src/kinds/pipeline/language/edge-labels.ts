/** `[K] `, `K) ` or `K - ` before a label: one letter or digit (reference pipeline 3.3). */
const PREFIX = /^(?:\[[\p{L}\p{N}]\]|[\p{L}\p{N}]\)|[\p{L}\p{N}] -)\s+/u

/** Normalizes a label for routing: lower case, trimmed, without its key (reference pipeline 3.3). */
export function normaliseLabel(label: string): string {
  return label.trim().toLowerCase().replace(PREFIX, '').trim()
}

/** A choice from a label: the key that selects it, and the text without the key. */
export interface KeyedLabel {
  readonly key: string
  readonly text: string
}

/** `[any] text`, `K) text`, `K - text` (reference pipeline 7.3). */
const KEYED = /^(?:\[(?<bracket>[^\]]+)\]|(?<paren>[\p{L}\p{N}])\)|(?<dash>[\p{L}\p{N}]) -(?=\s))(?<text>.*)$/su

/**
 * Returns the choices of a human gate in the order of their labels. The key is the one that the label states, otherwise its
 * first letter or digit. Keys are unique without regard to case: on a conflict, the later label takes its next free letter,
 * then a number (reference pipeline 7.3).
 */
export function keyLabels(labels: readonly string[]): KeyedLabel[] {
  const stated = labels.map(statedKey)
  const usedKeys = new Set<string>()
  const keys = new Map<number, string>()
  const assign = (index: number, key: string | undefined): void => {
    if (key === undefined || keys.has(index) || usedKeys.has(key.toLowerCase())) return
    usedKeys.add(key.toLowerCase())
    keys.set(index, key)
  }
  for (const [index, { key }] of stated.entries()) assign(index, key)
  for (const [index, { text }] of stated.entries()) {
    for (const letter of text.match(/[\p{L}\p{N}]/gu) ?? []) assign(index, letter.toUpperCase())
    for (let number = 1; !keys.has(index); number++) assign(index, String(number))
  }
  return stated.map(({ text }, index) => ({ key: keys.get(index) ?? '', text }))
}

function statedKey(label: string): { readonly key?: string | undefined; readonly text: string } {
  const { bracket, paren, dash, text = '' } = KEYED.exec(label.trim())?.groups ?? {}
  const key = (bracket ?? paren ?? dash ?? '').trim()
  if (key === '') return { text: label.trim() }
  // `[Y]es` marks a letter of the word itself.
  const isWithin = bracket !== undefined && /^\S/.test(text)
  return { key, text: isWithin ? key + text : text.trim() || key }
}
