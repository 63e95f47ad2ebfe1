import type { View } from './lookup.ts'

/** The board as a prompt shows it, within its budget. */
export interface ShownBoard {
  /** One line for each key. */
  readonly lines: readonly string[]
  /** Keys that are shown whole. */
  readonly keys: readonly string[]
  /** Keys of which only the beginning and the end are shown. */
  readonly cut: readonly string[]
  /** Keys that are only named, since nothing of the budget was left. */
  readonly left: readonly string[]
}

/** Characters of a token, about: prompts are measured before any model is known. */
const PER_TOKEN = 4
/** A value that cannot keep this many characters is left out. */
const LEAST = 80

/**
 * The values of a board for a prompt, one line each, in their order. The smallest are shown first, so that as many as can
 * be are whole; the rest is cut in its middle, or only named, and both are said. `budget` is in tokens, estimated.
 */
export function showBoard(view: View, paths: readonly string[], budget: number): ShownBoard {
  const entries = paths.flatMap((path, place) => {
    const value = view.find(path)
    return value === undefined ? [] : [{ path, place, text: JSON.stringify(value) }]
  })
  let room = budget * PER_TOKEN
  const shown = new Map<string, string>()
  const cut = new Set<string>()
  for (const { path, text } of entries.toSorted((a, b) => a.text.length - b.text.length || a.place - b.place)) {
    const space = room - path.length - 3
    const line = text.length <= space ? text : space < LEAST ? undefined : shorten(text, space)
    if (line === undefined) continue
    if (line !== text) cut.add(path)
    shown.set(path, line)
    room -= line.length + path.length + 3
  }
  const kept = entries.filter(({ path }) => shown.has(path))
  return {
    lines: kept.map(({ path }) => `${path} = ${shown.get(path) ?? ''}`),
    keys: kept.flatMap(({ path }) => (cut.has(path) ? [] : [path])),
    cut: [...cut],
    left: entries.flatMap(({ path }) => (shown.has(path) ? [] : [path])),
  }
}

function shorten(text: string, room: number): string {
  const note = ` … ${text.length} characters in all … `
  const each = Math.floor((room - note.length) / 2)
  // A pair that is cut in two is no character.
  return `${text.slice(0, each)}${note}${text.slice(-each)}`.toWellFormed()
}
