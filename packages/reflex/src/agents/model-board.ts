import type { Json } from '../kernel/index.ts'
import { displayJson } from '../text/index.ts'
import type { ValueView } from './lookup.ts'
import { valueText } from './template.ts'

/** The part of the board that a prompt shows within its budget. */
export interface ShownBoard {
  /** One line for each key. */
  readonly lines: readonly string[]
  /** The keys whose values are shown in full. */
  readonly keys: readonly string[]
  /** The keys of which only the beginning and the end are shown. */
  readonly cut: readonly string[]
  /** The keys that are not shown because the budget is used up. */
  readonly left: readonly string[]
  /** The keys among `left` that the prompt names. */
  readonly named: readonly string[]
}

/** The rest of the budget of a prompt, in characters. */
export interface PromptRoom {
  left: number
}

/** Returns the room of a prompt with a budget in tokens, by estimate. */
export function promptRoom(tokens: number): PromptRoom {
  return { left: tokens * PER_TOKEN }
}

/**
 * Returns a function that shows values of a template on one line each, within the room of the prompt. A value cannot begin a new
 * line of the prompt.
 */
export function valueWithin(room: PromptRoom): (value: Json) => string {
  return (value) => {
    const text = valueText(value)
    const line = BREAK.test(text) ? JSON.stringify(text) : text
    const kept = line.length <= room.left ? line : room.left < LEAST ? '…' : shorten(line, room.left)
    room.left = Math.max(0, room.left - kept.length)
    return kept
  }
}

/** Any character that begins a new line on some system. */
const BREAK = /[\n\r\u0085\u2028\u2029]/
const PLAIN = /^[\w.$-]{1,200}$/

/** Returns a key as a prompt shows it: quoted if it could be read as something else. */
function keyName(path: string): string {
  return PLAIN.test(path) ? path : JSON.stringify(path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path)
}

/** The estimated characters of a token: a prompt is measured before its model is known. */
const PER_TOKEN = 4
/** The least number of characters of a shortened value. A value with less room is left out. */
const LEAST = 80
/** The number of left-out keys that are always named, even beyond the budget. */
const FEW = 10

/**
 * Returns the values of a board for a prompt, one line each, in their order. Small values get room first, so that as many as
 * possible are shown in full; others are cut in the middle or only named, and the prompt says so. Lines and names use up the
 * room.
 */
export function showBoard(view: ValueView, paths: readonly string[], room: PromptRoom): ShownBoard {
  const entries = paths.flatMap((path, place) => {
    const value = view.find(path)
    return value === undefined ? [] : [{ path, name: keyName(path), place, text: displayJson(value) }]
  })
  const lines = new Map<string, string>()
  const cut = new Set<string>()
  for (const { path, name, text } of entries.toSorted((a, b) => a.text.length - b.text.length || a.place - b.place)) {
    const space = room.left - name.length - 3
    const line = text.length <= space ? text : space < LEAST ? undefined : shorten(text, space)
    if (line === undefined) continue
    if (line !== text) cut.add(path)
    lines.set(path, line)
    room.left -= line.length + name.length + 3
  }
  const kept = entries.filter(({ path }) => lines.has(path))
  const left = entries.filter(({ path }) => !lines.has(path))
  return {
    lines: kept.map(({ path, name }) => `${name} = ${lines.get(path) ?? ''}`),
    keys: kept.flatMap(({ path }) => (cut.has(path) ? [] : [path])),
    cut: [...cut],
    left: left.map(({ path }) => path),
    named: namesWithin(room, left),
  }
}

/** Returns the names of keys that are not shown: as many as fit, and always a few. */
function namesWithin(room: PromptRoom, left: readonly { readonly name: string }[]): readonly string[] {
  const named: string[] = []
  for (const { name } of left) {
    if (room.left < name.length + 2 && named.length >= FEW) break
    named.push(name)
    room.left = Math.max(0, room.left - name.length - 2)
  }
  return named
}

function shorten(text: string, room: number): string {
  const note = ` … ${text.length} characters in all … `
  const each = Math.floor((room - note.length) / 2)
  // A surrogate pair that is cut in two is not a character.
  return `${text.slice(0, each)}${note}${text.slice(-each)}`.toWellFormed()
}
