import { z } from 'zod'
import { count, json, pin, time } from './format.ts'
import type { Input, Outputs, Rec, Start } from '../../kernel/index.ts'

/**
 * The schema of a record, part by part. A record in a store was written by the kernel and needs no check. A record in an archive can come
 * from any program; another form would break the code that reads the run or its store.
 */
const text = z.string()
export const ref = z.union([text, count])
export const endStatus = z.enum(['done', 'failed', 'cancelled'])
const flatPairs = z.array(json).refine((list) => list.length % 2 === 0 && list.every((item, i) => i % 2 === 1 || typeof item === 'string'))

export const asker = z.enum(['outcome', 'edge', 'retry', 'budget', 'permission'])
const amount = z.number().nonnegative()
export const limits = z.strictObject({ tokens: amount, cost: amount, time: amount, steps: amount }).partial()
export const callLimits = limits.extend({ calls: amount.optional() })
export const used = z.strictObject({ tokens: amount, cost: amount, steps: amount, calls: amount, unpriced: amount }).partial()

const INPUTS: Readonly<Record<Input[0], z.ZodType>> = {
  ok: z.tuple([text, ref, json, used.optional()]),
  err: z.tuple([text, ref, json, used.optional()]),
  part: z.tuple([text, ref, json]),
  again: z.tuple([text, ref, json.optional()]),
  later: z.tuple([text, ref]),
  unknown: z.tuple([text, ref]),
  pause: z.tuple([text, ref, z.enum(['budget', 'permission']), json, z.array(text).optional()]),
  use: z.tuple([text, ref, z.record(text, amount)]),
  permits: z.tuple([text, json]),
  hold: z.tuple([text, ref, text, json, asker.optional()]),
  answer: z.tuple([text, ref, json, text.optional(), text.optional()]),
  message: z.tuple([text, ref, json, text.optional(), text.optional()]),
  messages: z.tuple([text, ref, z.array(z.union([z.tuple([text, json]), z.tuple([text, json, text])])).min(1)]),
  timer: z.tuple([text, ref]),
  ret: z.tuple([text, ref, endStatus, json.optional()]),
  end: z.tuple([text, ref, endStatus, json.optional()]),
  cancel: z.tuple([text, text]),
  host: z.tuple([text, json]),
  kernel: z.tuple([text, text, json.optional()]),
}

export const START = {
  v: count,
  run: text,
  trace: text,
  seed: text,
  at: time,
  pins: z.array(pin).min(1),
  args: json.optional(),
  by: json.optional(),
  hosts: z.record(text, json).optional(),
  origin: text.optional(),
  fork: z.tuple([text, count]).optional(),
} satisfies Record<keyof Start, z.ZodType>

const call = z.strictObject({
  pin: count,
  map: z.array(z.tuple([text, text])).optional(),
  args: json.optional(),
  isolated: z.literal(true).optional(),
  limits: callLimits.optional(),
})
const spawn = z.strictObject({
  pin: count,
  args: json.optional(),
  sees: z.enum(['live', 'nothing']).optional(),
  under: ref.optional(),
  limits: callLimits.optional(),
})
const whole = z.number().int().positive()
export const rules = z.strictObject({ stays: z.literal(true), every: whole, most: whole, bytes: whole }).partial()
const wait = z.tuple([
  z.enum(['answer', 'message', 'timer']),
  text,
  z.number().int().nullish(),
  json.optional(),
  asker.nullish(),
  rules.optional(),
])

const MORE_PARTS = {
  patch: z.union([z.record(text, json), z.array(json)]),
  tombstones: z.array(text),
  root: flatPairs,
  note: json,
  go: z.literal(1),
  call,
  spawn: z.array(spawn),
  adopt: z.array(ref),
  return: z.tuple([endStatus, json.optional()]),
  wait: z.array(wait),
  asks: ref,
  repeat: ref,
  used,
  raise: limits,
  stop: z.literal(1),
  use: z.record(text, amount),
  drop: z.array(ref),
  kill: z.array(ref),
  unwind: z.literal(1),
  open: z.array(ref.nullable()),
  sub: z.array(z.tuple([ref, flatPairs])),
  gone: z.array(z.tuple([ref, z.array(text)])),
  from: z.array(z.tuple([text, z.union([text, z.array(json)]), ref.optional()])),
  shut: z.array(ref),
  decided: z.array(z.tuple([text, text, z.boolean()])),
  pin: z.array(pin),
  become: count,
  start: z.strictObject(START),
} satisfies Record<keyof Outputs, z.ZodType>

const RECORD_PARTS = {
  frame: ref,
  elapsed: z.number().int(),
  input: z.custom<Input>((value) => Array.isArray(value) && INPUTS[value[0] as Input[0]].safeParse(value).success).optional(),
  writes: flatPairs.optional(),
  position: json.optional(),
  requests: z.array(z.tuple([text, json.optional(), text.nullish()])).optional(),
  more: z.strictObject(MORE_PARTS).partial().optional(),
  step: z.literal(true).optional(),
} satisfies Record<keyof Rec, z.ZodType>

const RECORD = z.strictObject(RECORD_PARTS)

/** Returns a decoded record if it has the form of a record. Throws a `TypeError` that names the first invalid part. */
export function checkRecord(record: Rec): Rec {
  const { error } = RECORD.safeParse(record)
  if (error === undefined) return record
  const [issue] = error.issues
  throw new TypeError(`${issue?.path.join('.') || 'it'} does not have the form of a record: ${issue?.message ?? ''}`)
}
