import { isList, isObject } from './json.ts'
import type { Input, Outputs } from './record.ts'

type KernelInput = Extract<Input, readonly ['kernel', ...unknown[]]>[1]

/** The inputs that this release supports, with their number of parts, including the name. */
const INPUTS: Readonly<Record<Input[0], readonly [least: number, most: number]>> = {
  ok: [3, 4],
  err: [3, 4],
  part: [3, 3],
  again: [2, 3],
  later: [2, 3],
  unknown: [2, 2],
  pause: [4, 5],
  use: [3, 3],
  permits: [2, 2],
  hold: [4, 5],
  answer: [3, 5],
  message: [3, 5],
  messages: [3, 3],
  timer: [2, 2],
  ret: [3, 4],
  end: [3, 4],
  cancel: [2, 2],
  host: [2, 2],
  kernel: [2, 3],
}

const KERNEL_INPUTS: Readonly<Record<KernelInput, true>> = {
  start: true,
  cancel: true,
  stalled: true,
  refused: true,
  late: true,
  fork: true,
  forked: true,
  resume: true,
  seal: true,
  skipped: true,
}

const OUTPUTS: Readonly<Record<keyof Outputs, true>> = {
  patch: true,
  tombstones: true,
  root: true,
  note: true,
  go: true,
  call: true,
  spawn: true,
  adopt: true,
  return: true,
  wait: true,
  asks: true,
  repeat: true,
  used: true,
  raise: true,
  stop: true,
  use: true,
  decided: true,
  drop: true,
  kill: true,
  unwind: true,
  open: true,
  sub: true,
  gone: true,
  from: true,
  shut: true,
  pin: true,
  become: true,
  start: true,
}

/** The parts of a record as they were stored. */
interface RecordParts {
  readonly input: unknown
  readonly writes: unknown
  readonly requests: unknown
  readonly more: unknown
}

/**
 * Returns the unknown part of a stored record; undefined if all parts are known. A fold ignores unknown parts, and the run
 * would continue as if they did not exist.
 */
export function unknownPart({ input, writes, requests, more }: RecordParts): string | undefined {
  return (
    (input === undefined ? undefined : unknownInput(input)) ??
    (writes === undefined || isWriteList(writes) ? undefined : 'writes that are not a list of keys and values') ??
    (requests === undefined || isRequests(requests) ? undefined : 'requests that are not a list of ports') ??
    (more === undefined ? undefined : unknownOutput(more))
  )
}

function unknownInput(input: unknown): string | undefined {
  if (!isList(input) || typeof input[0] !== 'string') return 'an input that is not a list'
  const [type, word] = input
  if (!Object.hasOwn(INPUTS, type)) return `an input of the unknown type ${JSON.stringify(type)}`
  const [min, max] = INPUTS[type as Input[0]]
  if (input.length < min || input.length > max) return `an input ${type} of ${input.length} parts`
  if (type === 'kernel' && !(typeof word === 'string' && Object.hasOwn(KERNEL_INPUTS, word)))
    return `an input of the kernel of the unknown type ${JSON.stringify(word)}`
  if (type === 'later' && input.length > 2 && typeof input[2] !== 'string') return 'an input later for something that is not a text'
  if (type === 'messages' && !areMessages(input[2])) return 'an input messages without a list of messages'
  if ((type === 'ok' || type === 'err') && input.length > 3 && !isObject(input[3])) return `an input ${type} whose usage is not an object`
  return undefined
}

function areMessages(list: unknown): boolean {
  return isList(list) && list.length > 0 && list.every((one) => isList(one) && one.length >= 2 && typeof one[0] === 'string')
}

function unknownOutput(more: unknown): string | undefined {
  if (typeof more !== 'object' || more === null || isList(more)) return 'outputs that are not an object'
  for (const key in more) if (!Object.hasOwn(OUTPUTS, key)) return `an output of the unknown type ${JSON.stringify(key)}`
  const { used, raise, use, patch } = more as Outputs
  if (patch !== undefined && !isObject(patch) && !isItemList(patch)) return 'changes of a position that are not items of it'
  for (const amounts of [used, raise, use]) if (amounts !== undefined && !isObject(amounts)) return 'amounts that are not an object'
  const { from } = more as Outputs
  if (from !== undefined && !(isList(from) && from.every(isList))) return 'labels that are not lists'
  return undefined
}

function isItemList(patch: unknown): boolean {
  if (!isList(patch) || patch.length % 2 !== 0) return false
  for (let slot = 0; slot < patch.length; slot += 2) {
    const index = patch[slot]
    if (!Number.isInteger(index) || (index as number) < 0) return false
  }
  return true
}

function isWriteList(writes: unknown): boolean {
  if (!isList(writes) || writes.length % 2 !== 0) return false
  for (let slot = 0; slot < writes.length; slot += 2) if (typeof writes[slot] !== 'string') return false
  return true
}

function isRequests(requests: unknown): boolean {
  return isList(requests) && requests.every((request) => isList(request) && typeof request[0] === 'string')
}
