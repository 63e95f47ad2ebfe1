import { basename } from 'node:path'
import { type Change, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { StoryEvent } from '../../../programs/kind-view.ts'
import { textOf } from '../model/text-of.ts'

/** The events that say more than the statuses of nodes, as sentences. */
const WARNINGS: Readonly<Record<string, (payload: JsonObject) => string>> = {
  'tree.watchdog.warning': ({ running_duration_ms, timeout_ms }) =>
    `RUNNING for ${textOf(running_duration_ms)} ms without progress; it fails at ${textOf(timeout_ms)} ms`,
  'tree.budget.yield': ({ tick_count }) =>
    `yields after ${textOf(tick_count)} ticks for one event; another event, or the message resume with the token, continues`,
  'tree.parallel.conflict': ({ key, writer_count }) => `${textOf(writer_count)} children have written ${textOf(key)}`,
  'tree.cancelled': ({ reason }) => `the execution was cancelled: ${textOf(reason)}`,
  'tree.resume.refused': ({ reason }) => `not resumed: ${textOf(reason)}`,
  'tree.reload.failed': ({ code, rule, source, line, error_message }) => {
    const file = basename(textOf(source))
    const place = source === undefined ? error_message : line === undefined ? file : `${file}:${textOf(line)}`
    return `saved with errors; the run keeps its version: ${textOf(code ?? rule)} ${textOf(place)}`
  },
  'tree.reload.dropped': ({ key }) => `the value of ${textOf(key)} is dropped: the new version declares it otherwise, or not at all`,
  'tree.debug.refused': ({ message, fix }) => `${textOf(message)}${fix === undefined ? '' : `; ${textOf(fix)}`}`,
  'tree.global.failed': ({ error_message }) => `a key that all trees share was not written: ${textOf(error_message)}`,
}

/** Returns the warnings of a tree in a record. */
export function warningStory({ record }: Change): StoryEvent[] {
  const events = isObject(record.more?.note) && isList(record.more.note.events) ? record.more.note.events : []
  return events.flatMap((event) => (isList(event) ? eventStory(textOf(event[0]), event[1] ?? null) : []))
}

function eventStory(type: string, payload: Json): StoryEvent[] {
  const text = WARNINGS[type]
  if (text === undefined || !isObject(payload)) return []
  const node = payload.node_path ?? payload.node_id ?? payload.parallel_node_id
  return [
    {
      mark: 'warn',
      ...(typeof node === 'string' ? { node } : {}),
      text: text(payload),
      facts: { event: type, about: payload },
    },
  ]
}
