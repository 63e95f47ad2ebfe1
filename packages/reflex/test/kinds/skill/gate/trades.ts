import { filled, type Job, luck, numberOf, pick, type Question, type World, type Wording } from './questions.ts'

/** A job with its words, divided by `|`. No text that was learned from has the last two. */
export type Row = readonly [id: string, by: Job['by'], deeds: string, objects: string, unseenDeeds: string, unseenObjects: string]

/** The sentences of a trade. `{v}` is the deed, `{n}` the object, `{id}` a number; only `learned` are in texts that were learned from. */
export interface Sentences {
  readonly learned: readonly string[]
  readonly asked: readonly string[]
  /** A wish among other things. */
  readonly chatty: readonly string[]
  /** Words of a wish, and no wish. */
  readonly about: readonly string[]
  readonly unrelated: readonly string[]
  /** What was done before the wish. */
  readonly before: string
}

/** Each sort of question with its share, of a hundred. */
const SORTS = [
  ['plain', 34],
  ['unseen deed', 7],
  ['unseen object', 4],
  ['unseen both', 3],
  ['chatty', 8],
  ['typo', 5],
  ['two jobs', 4],
  ['elsewhere', 10],
  ['nobody', 12],
  ['about', 3],
  ['unrelated', 10],
] as const
type Sort = (typeof SORTS)[number][0]

/** Returns the world of a trade: the words of deeds and of objects vary in each job, and other jobs have the same. `name` seeds its questions. */
export function tradeOf(name: string, rows: readonly Row[], sentences: Sentences): World {
  const words = (text: string): readonly string[] => text.split('|')
  const jobs = rows.map(
    ([id, by, deeds, objects, unseenDeeds, unseenObjects]): Job => ({
      id,
      by,
      deeds: words(deeds),
      objects: words(objects),
      unseen: { deeds: words(unseenDeeds), objects: words(unseenObjects) },
    }),
  )
  return { jobs, frames: sentences.learned, question: (i) => question(`${name} ${i}`, jobs, sentences) }
}

function sortOf(seed: string): Sort {
  let left = luck(`sort of ${seed}`) * 100
  for (const [sort, share] of SORTS) {
    left -= share
    if (left < 0) return sort
  }
  return 'unrelated'
}

function jobBy(by: Job['by'], jobs: readonly Job[], seed: string): Job {
  return pick(
    jobs.filter((job) => job.by === by),
    `${by} ${seed}`,
  )
}

function question(seed: string, jobs: readonly Job[], sentences: Sentences): Question {
  const sort = sortOf(seed)
  const frame = pick(sentences.asked, `frame ${seed}`)
  const none = (text: string, wording: Wording): Question => ({ sort, userText: filled(text, wording, seed), wanted: undefined })
  if (sort === 'unrelated') return none(pick(sentences.unrelated, seed), { deeds: [''], objects: [''] })
  if (sort === 'elsewhere' || sort === 'nobody') return none(frame, jobBy(sort, jobs, seed))
  const job = jobBy('here', jobs, seed)
  if (sort === 'about') return none(pick(sentences.about, seed), job)
  const before = filled(sentences.before, jobBy('here', jobs, `${seed} before`), `${seed} before`)
  const texts: Readonly<Record<typeof sort, () => string>> = {
    plain: () => filled(frame, job, seed),
    'unseen deed': () => filled(frame, { deeds: job.unseen.deeds, objects: job.objects }, seed),
    'unseen object': () => filled(frame, { deeds: job.deeds, objects: job.unseen.objects }, seed),
    'unseen both': () => filled(frame, job.unseen, seed),
    chatty: () => filled(pick(sentences.chatty, seed), job, seed),
    typo: () => mistyped(filled(frame, job, seed), job, seed),
    'two jobs': () => `${before} ${filled(frame, job, seed)} ${numberOf(seed)}`,
  }
  return { sort, userText: texts[sort](), wanted: job.id }
}

/** Returns a text with two letters swapped in a word of the deed or the object. */
function mistyped(text: string, { deeds, objects }: Wording, seed: string): string {
  const long = [...deeds, ...objects].flatMap((words) => words.split(' ')).filter((word) => word.length > 4 && text.includes(word))
  if (long.length === 0) return text
  const word = pick(long, `typo ${seed}`)
  const at = 1 + Math.floor(luck(`typo at ${seed}`) * (word.length - 2))
  return text.replace(word, word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2))
}
