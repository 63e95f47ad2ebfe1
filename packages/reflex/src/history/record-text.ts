import { type DifferingPart, isList, isObject, type Json } from '../kernel/index.ts'
import type { StoryEvent } from '../programs/kind-view.ts'
import { firstDifference, type ValueDifference } from './first-difference.ts'
import { shortJson } from '../text/index.ts'
import type { StoryLine } from './trace.ts'

/** The maximum number of characters of a value in a list of values. */
const MAX_VALUE_LENGTH = 26

/** The names of the parts of a record in messages. A part that is not in the table has a clear name of its own. */
const PART_NAMES: Readonly<Record<string, string>> = {
  input: 'the input',
  writes: 'the written values',
  sub: 'the written values',
  root: 'the written values',
  tombstones: 'the deleted values',
  position: 'the position',
  patch: 'the position',
  requests: 'the requests',
  note: 'the note',
  go: 'the continuation',
  call: 'the call',
  spawn: 'the started branches',
  adopt: 'the adopted branches',
  kill: 'the ended branches',
  return: 'the end',
  wait: 'the waits',
  asks: 'the effect of a question',
  repeat: 'the repeated effect',
  drop: 'the dropped effects',
  unwind: 'the dropped effects',
  open: 'the opened scopes',
  shut: 'the closed scopes',
  from: 'the origins of the written values',
  pin: 'the programs',
  become: 'the program that continues',
}

/** Returns the names of differing parts: `the position and the requests`. */
export function partsText(parts: readonly DifferingPart[]): string {
  const names = [...new Set(parts.map(({ part }) => PART_NAMES[part] ?? part))]
  return names.length < 2 ? (names[0] ?? 'nothing') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Returns the first difference inside a part, with both values: `order.total`, `4`, `84`. */
export function partDifference({ part, recorded, decided }: DifferingPart): ValueDifference {
  const named = (value: Json | undefined): object => ({
    [PART_NAMES[part] ?? part]: part === 'writes' || part === 'root' ? pairsOf(value) : value,
  })
  const { path, one, other } = firstDifference(named(recorded), named(decided)) ?? { path: [part], one: '', other: '' }
  return { path, one, other }
}

/** Returns flat writes as an object. The last value of a key counts. */
function pairsOf(writes: Json | undefined): Json | undefined {
  if (!isList(writes)) return writes
  return Object.fromEntries(
    writes.flatMap((key, i): [string, Json][] => (i % 2 === 0 ? [[typeof key === 'string' ? key : '', writes[i + 1] ?? null]] : [])),
  )
}

/** Returns the text of a record from the story of its kind: `decide → full`; empty if the kind has no story for it. */
export function storyText(lines: readonly StoryLine[]): string {
  return lines
    .map(({ event }) => eventText(event))
    .filter((text) => text !== '')
    .join(', ')
}

function eventText(event: StoryEvent): string {
  const { mark, node = '', text = '' } = event
  switch (mark) {
    case 'decide':
      return `${node} → ${edgeOf(event) ?? text}${writesText(event)}`
    case 'done':
      return `${node} done${writesText(event)}`
    case 'enter':
      return `goes to ${node}`
    case 'push':
      return `${node} calls ${text}`
    case 'pop':
      return `${node} returns`
    case 'ask':
      return `${node} asks ${shortJson(text, 60)}`
    case 'answer':
      return `${node} is answered ${shortJson(text, 60)}`
    case 'fail':
      return `${node} fails: ${text}`
    case 'wait':
      return `${node} waits: ${text}`
    case 'end':
    case 'warn':
    case 'note':
    default:
      return [node, text].filter((part) => part !== '').join(' ')
  }
}

function writesText({ facts }: StoryEvent): string {
  const entries = isObject(facts?.wrote) ? Object.entries(facts.wrote) : []
  return entries.length === 0 ? '' : ` + ${entries.map(([key, value]) => `${key} ${shortJson(value, MAX_VALUE_LENGTH)}`).join(', ')}`
}

/** Returns the edge that an event took. */
export function edgeOf({ facts }: StoryEvent): string | undefined {
  return typeof facts?.edge === 'string' ? facts.edge : undefined
}
