import { concealed, type ContentHash, factsIn, type PlainShape } from '../journal/contents.ts'
import { isList, isObject, type Json, type JsonObject } from '../journal/json.ts'
import type { Input, Outputs, Rec, Ref, WaitRequest } from '../journal/record.ts'
import type { Frame } from '../state/frame.ts'
import type { State } from '../state/state.ts'
import type { Definitions } from './decide.ts'
import type { PlainParts } from './kind.ts'

/** A fault: its code and what follows from it. Its texts can quote anything. */
export const PLAIN_FAULT: PlainShape = (fault) =>
  isObject(fault)
    ? { code: CODE, verdict: 'plain', severity: 'plain', run: 'plain', ...TEXTS, cause: isObject(fault['cause']) ? PLAIN_FAULT : 'hash' }
    : 'hash'
const CODE: PlainShape = (code) => (typeof code === 'string' && /^R\d{4}$/.test(code) ? 'plain' : 'hash')
const QUOTING = ['message', 'rule', 'file', 'line', 'column', 'length', 'frame', 'path', 'fix'] as const
const TEXTS: Readonly<Record<string, PlainShape>> = { ...Object.fromEntries(QUOTING.map((name) => [name, 'hash' as const])), data: {} }

/** A question that no kind describes: which answers there are. */
const QUESTION: PlainShape = { text: 'hash', type: 'plain', options: 'plain', about: {} }
/** What the kernel says of inputs of its own, where that can quote something. */
const DETAILS: ReadonlyMap<string, PlainShape> = new Map<string, PlainShape>([
  ['cancel', { reason: 'hash', by: 'plain' }],
  ['refused', PLAIN_FAULT],
  ['late', { effect: 'plain', port: 'plain', used: 'plain' }],
])
/** The answer about an unknown outcome. */
const OUTCOME: PlainShape = { outcome: 'plain', value: 'hash' }

/** Returns the record as a run keeps it that keeps no contents. `state`: the state before it. */
export function concealedRecord(record: Rec, state: State, definitions: Definitions, hash: ContentHash): Rec {
  return new Concealer(record, state, definitions, hash).record()
}

/** Returns the shape of what a run returns. */
export function resultShape(state: State, definitions: Definitions, isFailed: boolean): PlainShape {
  const [, kind = ''] = state.start?.pins[0] ?? []
  return isFailed ? PLAIN_FAULT : (definitions.kind(kind).plain?.result ?? 'hash')
}

/** Returns the shape of what a question of a frame is about. */
export function waitShape(frame: Frame, name: string, definitions: Definitions): PlainShape {
  const waits = definitions.kind(definitions.program(frame.pin).kind).plain?.waits ?? {}
  return Object.hasOwn(waits, name) ? (waits[name] ?? QUESTION) : QUESTION
}

class Concealer {
  readonly #record: Rec
  readonly #state: State
  readonly #definitions: Definitions
  readonly #hash: ContentHash
  readonly #plain: PlainParts

  constructor(record: Rec, state: State, definitions: Definitions, hash: ContentHash) {
    this.#record = record
    this.#state = state
    this.#definitions = definitions
    this.#hash = hash
    this.#plain = this.#plainOf(this.#pinOf(record))
  }

  record(): Rec {
    const { input, writes, position, requests, more } = this.#record
    const { requests: shapes = {} } = this.#plain
    return {
      ...this.#record,
      input: input === undefined ? undefined : this.#input(input),
      writes: writes === undefined ? undefined : this.#writes(writes),
      position: position === undefined ? undefined : this.#conceal(position, this.#plain.position),
      requests: requests?.map(([port, args, key]) => {
        const kept = args === undefined ? undefined : this.#conceal(args, shapes[port])
        // The digest of a key could be guessed.
        return key === undefined ? (kept === undefined ? [port] : [port, kept]) : [port, kept ?? null, this.#hash(key)]
      }),
      more: more === undefined ? undefined : this.#outputs(more),
    }
  }

  #conceal(value: Json, shape: PlainShape = 'hash'): Json {
    return concealed(value, shape, this.#hash)
  }

  /** The first record has no frame before it. */
  #pinOf({ frame, more }: Rec): readonly [name: string, kind: string, ...unknown[]] | undefined {
    const { pins, frames } = this.#state
    return more?.start?.pins[0] ?? pins[frames.get(frame)?.pin ?? -1]
  }

  #plainOf(pin: readonly [string, string, ...unknown[]] | undefined): PlainParts {
    return (pin === undefined ? undefined : this.#definitions.kind(pin[1]).plain) ?? {}
  }

  #frame(): Frame | undefined {
    return this.#state.frames.get(this.#record.frame)
  }

  #input(input: Input): Input {
    switch (input[0]) {
      case 'ok':
        return [
          input[0],
          input[1],
          this.#conceal(input[2], this.#plain.results?.[this.#portOf(input[1])]),
          ...input.slice(3),
        ] as unknown as Input
      case 'err':
        return [input[0], input[1], this.#conceal(input[2], PLAIN_FAULT), ...input.slice(3)] as unknown as Input
      case 'part':
        return [input[0], input[1], this.#conceal(input[2])]
      case 'pause':
        return [input[0], input[1], input[2], this.#conceal(input[3], QUESTION), ...input.slice(4)] as unknown as Input
      case 'hold':
        return [input[0], input[1], input[2], this.#conceal(input[3], QUESTION), ...input.slice(4)] as unknown as Input
      case 'answer':
        return this.#answer(input)
      case 'message':
        return [input[0], input[1], this.#conceal(input[2]), ...input.slice(3)] as unknown as Input
      case 'messages':
        return [input[0], input[1], input[2].map(([id, body, ...by]) => [id, this.#conceal(body), ...by]) as never]
      case 'ret':
      case 'end':
        return input
      case 'cancel':
        return [input[0], this.#hash(input[1])]
      case 'host':
        return [input[0], this.#conceal(input[1], this.#plain.host)]
      case 'kernel':
        return input[2] === undefined ? input : [input[0], input[1], this.#conceal(input[2], DETAILS.get(input[1]) ?? 'plain')]
      default:
        return input
    }
  }

  #portOf(effect: Ref): string {
    return this.#frame()?.pendingEffects.find(({ id }) => id === effect)?.port ?? ''
  }

  /** One of the offered answers is no content, and neither is an amount that is allowed. */
  #answer([type, ref, value, by, reason]: Extract<Input, readonly ['answer', ...unknown[]]>): Input {
    const { about, asker = 'program' } = this.#state.waits.get(ref) ?? {}
    const options = isObject(about) && isList(about['options']) ? about['options'] : []
    const isOffered = options.some((option) => isObject(option) && option['value'] === value)
    const isPlain = isOffered || (asker !== 'program' && asker !== 'outcome')
    const kept = isPlain ? value : this.#conceal(value, OUTCOME)
    if (reason !== undefined) return [type, ref, kept, by ?? '', this.#hash(reason)]
    return by === undefined ? [type, ref, kept] : [type, ref, kept, by]
  }

  #writes(writes: readonly Json[]): readonly Json[] {
    return writes.map((value, slot) => (slot % 2 === 0 ? value : this.#conceal(value, this.#plain.writes?.(writes[slot - 1] as string))))
  }

  #outputs(more: Outputs): Outputs {
    const { note, patch, root, sub, call, spawn, wait, start } = more
    const { return: ending } = more
    return {
      ...more,
      ...(note === undefined ? {} : { note: this.#note(note) }),
      ...(patch === undefined ? {} : { patch: this.#conceal(patch, this.#plain.position) as NonNullable<Outputs['patch']> }),
      ...(root === undefined ? {} : { root: this.#writes(root) }),
      ...(sub === undefined ? {} : { sub: sub.map(([scope, writes]) => [scope, this.#writes(writes)] as const) }),
      ...(call === undefined ? {} : { call: this.#called(call) }),
      ...(spawn === undefined ? {} : { spawn: spawn.map((one) => this.#called(one)) }),
      ...(wait === undefined ? {} : { wait: wait.map((one) => this.#wait(one)) }),
      ...(ending?.[1] === undefined
        ? {}
        : { return: [ending[0], this.#conceal(ending[1], ending[0] === 'failed' ? PLAIN_FAULT : this.#plain.result)] as const }),
      ...(start?.args === undefined ? {} : { start: { ...start, args: this.#conceal(start.args, this.#plain.args) } }),
    }
  }

  #note(note: Json): Json {
    const facts = factsIn(note)
    if (facts.length === 0 || !isObject(note)) return this.#conceal(note, this.#plain.note)
    const { facts: _, ...rest } = note
    const kept = this.#conceal(rest, this.#plain.note) as JsonObject
    return { ...kept, facts: facts.map(([name, value]) => [name, this.#conceal(value, this.#plain.facts?.[name])]) }
  }

  #called<Call extends { readonly pin: number; readonly args?: Json }>(call: Call): Call {
    if (call.args === undefined) return call
    const { pins } = this.#state
    const pin = pins[call.pin] ?? this.#record.more?.pin?.[call.pin - pins.length]
    return { ...call, args: this.#conceal(call.args, this.#plainOf(pin).args) }
  }

  #wait([type, name, due, about, ...rest]: WaitRequest): WaitRequest {
    if (about === undefined || about === null) return [type, name, due, about, ...rest] as unknown as WaitRequest
    const frame = this.#frame()
    const shape = frame === undefined ? QUESTION : waitShape(frame, name, this.#definitions)
    return [type, name, due, this.#conceal(about, shape), ...rest] as unknown as WaitRequest
  }
}
