import { z } from 'zod'
import { isDeep } from './bounds.ts'
import { count, json, pin, time } from './format.ts'
import { asker, endStatus, limits, ref, rules, START, used } from './record-shape.ts'
import { loadState, type State, type StoredState } from '../../kernel/index.ts'

/** The maximum number of levels of a state: those of a value, inside its entry, its board and its frame. */
const MAX_DEPTH = 610

const text = z.string()
const entries = z.array(
  z
    .tuple([text, count, time, json])
    .rest(json)
    .refine(({ length }) => length <= 5),
)
const strand = z.tuple([ref, text, entries]).rest(json)
const effect = z.tuple([ref, text, json, text.nullable(), count, count]).rest(z.array(text))

/** The schema of a state that another program can have written. A later release may add parts. */
const STATE = z.looseObject({
  n: count.min(1),
  time,
  questions: count,
  seed: text.optional(),
  idle: z.literal(true).optional(),
  meter: z.looseObject({
    used,
    time: z.number(),
    shared: used.optional(),
    limits: limits.optional(),
    stopped: z.array(ref).optional(),
    uses: z.array(z.tuple([text, count])).optional(),
    decided: z.array(z.tuple([text, text, z.boolean()]).rest(count)).optional(),
  }),
  start: z.strictObject(START),
  ended: z.tuple([endStatus]).rest(json).optional(),
  pins: z.array(pin).min(1),
  frames: z
    .array(
      z.looseObject({
        id: ref,
        pin: count,
        args: json.optional(),
        position: json.optional(),
        link: z
          .looseObject({
            caller: ref,
            role: z.enum(['call', 'strand']),
            sees: z.enum(['live', 'past', 'nothing']),
            record: count,
            under: ref.nullable(),
            map: z.array(z.tuple([text, text])),
          })
          .optional(),
        scope: entries,
        subs: z.array(z.tuple([ref, ref.nullable(), entries])).optional(),
        strands: z.array(strand).optional(),
        strandPins: z.array(z.number().int()).optional(),
        effects: z.array(effect).optional(),
        permits: z.tuple([count, json]).optional(),
        grants: z.array(text).optional(),
        cancelled: text.optional(),
        notified: z.literal(true).optional(),
        used: used.optional(),
        began: z.number().optional(),
      }),
    )
    .min(1),
  waits: z.array(
    z
      .tuple([ref, ref, z.enum(['answer', 'message', 'timer']), text, time.nullable(), json, count, ref.nullable(), count, time])
      .rest(z.union([z.literal('program'), asker, rules]))
      .refine(({ length }) => length <= 12),
  ),
  queue: z.array(z.tuple([ref]).rest(z.array(json))),
})

/** Returns the state in the text of a snapshot that another program can have written. Throws what is wrong with it. */
export function readOpening(snapshot: string): State {
  const stored: unknown = JSON.parse(snapshot)
  if (isDeep(stored, MAX_DEPTH)) throw new TypeError('it is nested too deeply')
  const { error, data } = STATE.safeParse(stored)
  if (error !== undefined) {
    const [issue] = error.issues
    throw new TypeError(`${issue?.path.join('.') || 'it'} does not have the form of a state: ${issue?.message ?? ''}`)
  }
  const { frames, pins } = data
  if (frames.some(({ pin: number, link }, i) => number >= pins.length || (link === undefined) !== (i === 0)) || frames[0]?.id !== 0)
    throw new TypeError('its frames do not form a stack')
  return loadState(stored as StoredState)
}
