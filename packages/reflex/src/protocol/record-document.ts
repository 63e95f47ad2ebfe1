import { plainJson, textOf, utc } from './plain.ts'
import { programDocument } from './documents.ts'
import { isList, type Input, type Json, type JsonObject, type Outputs, type Rec, type Start } from '../kernel/index.ts'

/**
 * Writes records as documents. It keeps the facts outside the records: the run, its programs in the order of their
 * pins, and the time so far.
 */
export class RecordWriter {
  readonly #run: string
  readonly #programs: string[]
  #time: number

  constructor(run: string, programs: readonly string[], time: number) {
    this.#run = run
    this.#programs = [...programs]
    this.#time = time
  }

  /**
   * Returns a record as `--jsonl` writes it. `record` is its number, `time` that of its input in UTC, `frame` the
   * activation that was stepped (`0` is the root). `input` is the cause: `ok` and `err` settle an effect, `answer`,
   * `message` and `timer` end a wait, `ret` returns from a call (the value stands in the record that returned). Then
   * follow `writes` to the board, the new `position`, `requests` of effects, and the rarer outputs under their names in
   * the journal.
   */
  document(record: Rec, n: number): JsonObject {
    const { frame, elapsed, input, writes, position, requests, more } = record
    this.#time = more?.start === undefined ? this.#time + elapsed : more.start.at
    for (const pin of [...(more?.start?.pins ?? []), ...(more?.pin ?? [])]) this.#programs.push(pin[0])
    return plainJson({
      v: 1,
      run: this.#run,
      record: n,
      time: utc(this.#time),
      frame: String(frame),
      input: input === undefined ? undefined : inputDocument(input),
      writes: writes === undefined ? undefined : pairs(writes),
      position,
      requests: requests?.map(([port, args, key], i) => ({ effect: i === 0 ? String(n) : `${n}.${i}`, port, args, key })),
      ...this.#rareFields(more, n),
    })
  }

  #rareFields(more: Outputs | undefined, n: number): object {
    if (more === undefined) return {}
    const { start, call, wait, return: returned, root, ...rest } = more
    return {
      ...rest,
      ...(start === undefined ? {} : { start: startDocument(start) }),
      ...(call === undefined
        ? {}
        : { call: { frame: `${n}f`, program: this.#programs[call.pin], map: call.map, args: call.args, isolated: call.isolated } }),
      ...(wait === undefined
        ? {}
        : {
            wait: wait.map(([type, name, due, about, , rules], i) => ({
              wait: i === 0 ? `${n}w` : `${n}.${i}w`,
              type,
              name,
              due: typeof due === 'number' ? utc(due) : undefined,
              about,
              ...rules,
            })),
          }),
      ...(returned === undefined ? {} : { return: { status: returned[0], value: returned[1] } }),
      ...(root === undefined ? {} : { root: pairs(root) }),
    }
  }
}

function startDocument({ v, run, trace, seed, at, pins, args, by, fork }: Start): object {
  return { format: v, run, trace, seed, time: utc(at), programs: pins.map(programDocument), args, by, fork }
}

function inputDocument([type, ...rest]: Input): object {
  const [first, second, third, fourth] = rest as readonly (Json | undefined)[]
  switch (type) {
    case 'ok':
    case 'part':
      return { type, effect: textOf(first), value: second }
    case 'err':
      return { type, effect: textOf(first), error: second }
    case 'again':
      return { type, effect: textOf(first), lost: second }
    case 'later':
      return { type, effect: textOf(first), for: second }
    case 'unknown':
      return { type, effect: textOf(first) }
    case 'pause':
      return { type, effect: textOf(first), asker: second, about: third, grants: fourth }
    case 'use':
      return { type, effect: textOf(first), grants: second }
    case 'permits':
      return { type, permissions: first }
    case 'hold':
      return { type, effect: textOf(first), question: second, about: third }
    case 'answer':
      return { type, wait: textOf(first), value: second, by: third, reason: fourth }
    case 'message':
      return { type, wait: textOf(first), value: second, id: third, by: fourth }
    case 'messages':
      return { type, wait: textOf(first), messages: second }
    case 'timer':
      return { type, wait: textOf(first) }
    case 'ret':
      return { type, frame: textOf(first), status: second }
    case 'end':
      return { type, strand: textOf(first), status: second }
    case 'cancel':
      return { type, reason: first }
    case 'host':
      return { type, command: first }
    case 'kernel':
    default:
      return { type, what: first, value: second }
  }
}

/** Returns flat writes as pairs, in their order. */
function pairs(writes: readonly Json[]): Json {
  const list: Json[] = []
  for (let i = 0; i + 1 < writes.length; i += 2) list.push({ key: textOf(writes[i]), value: writes[i + 1] ?? null })
  return isList(list) ? list : []
}
