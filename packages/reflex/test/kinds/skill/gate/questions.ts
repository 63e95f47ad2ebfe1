import { digestFraction } from '../../../../src/kernel/index.ts'
import type { InstalledSkill } from '../../../../src/kinds/skill/bulletin/candidates.ts'
import { type ActivationTerms, TermCounter } from '../../../../src/learn/compile/activation-terms.ts'
import type { RunShape } from '../../../../src/learn/shapes/call-sequence.ts'
import { SHOW, skillOf } from './support.ts'

/** How users say what they want: with one of these words for the deed, and one for its object. */
export interface Wording {
  readonly deeds: readonly string[]
  readonly objects: readonly string[]
}

/** Something that users want done. `here`: a skill does it; `elsewhere`: a skill of another environment does; `nobody`: none does. */
export interface Job extends Wording {
  readonly id: string
  readonly by: 'here' | 'elsewhere' | 'nobody'
  /** Wordings that no learned text has. */
  readonly unseen: Wording
}

/** A question with the skill that answers it, if there is one. */
export interface Question {
  /** Its sort, for whoever looks at what went wrong. */
  readonly sort: string
  readonly userText: string
  readonly wanted: string | undefined
}

/** The texts of one trade: those that skills are learned from, and the questions that nobody has learned from. */
export interface World {
  readonly jobs: readonly Job[]
  /** `{v}` is the deed, `{n}` the object, `{id}` a number. */
  readonly frames: readonly string[]
  readonly question: (i: number) => Question
}

/** Returns a fraction that depends on a text only. */
export const luck = (text: string): number => digestFraction(text)

/** Returns an item that depends on a text only. */
export function pick<Item>(items: readonly Item[], text: string): Item {
  const item = items[Math.floor(luck(text) * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Fills a frame with words and a number, all drawn by `seed`. */
export function filled(frame: string, { deeds, objects }: Wording, seed: string): string {
  return frame
    .replace('{v}', pick(deeds, `deed ${seed}`))
    .replace('{n}', pick(objects, `object ${seed}`))
    .replace('{id}', numberOf(seed))
}

export function numberOf(seed: string): string {
  return `X-${1000 + Math.floor(luck(`number ${seed}`) * 9000)}`
}

const LEARNED = 60

/** Returns the skills of a world, with the words of mined ones: each job was done in 60 runs. */
export function skillsOf({ jobs, frames }: World): readonly InstalledSkill[] {
  const known = jobs.filter(({ by }) => by !== 'nobody')
  const counter = new TermCounter(known.map(({ id }) => ({ symbols: [id], hash: id })))
  const shapes = known.flatMap((job) =>
    Array.from({ length: LEARNED }, (_, i) => {
      const seed = `learned ${job.id} ${i}`
      const sequence = { symbols: [job.id], texts: [[0, filled(pick(frames, `frame ${seed}`), job, seed)]] }
      return { sequences: [sequence] } as unknown as RunShape
    }),
  )
  for (const shape of shapes) counter.collect(shape)
  for (const shape of shapes) counter.count(shape)
  for (const shape of shapes) counter.compare(shape)
  return known.map((job, i) => skillFor(job, counter.terms(i)))
}

function skillFor({ id, by }: Job, { labels, keywords }: ActivationTerms): InstalledSkill {
  const manifest = {
    ...SHOW,
    id,
    // What is said of a mined skill: its calls.
    description: `Calls ${id}`,
    compat: { env: by === 'elsewhere' ? 'production' : 'staging' },
    signature: { inputs: [{ name: 'number', type: 'string', pattern: 'X-[0-9]{4}' }] },
    activation: { ...SHOW.activation, goal_labels: labels, keywords_any: keywords },
  }
  return { skill: skillOf(manifest), state: 'active', stats: { successes: 0, runs: 0 }, followed: 0 }
}
