import { filled, type Job, luck, pick, type Question, type World } from './questions.ts'

/** What users ask for, each with its words; the last two wordings are in no text that was learned from. */
const DEEDS: Readonly<Record<string, readonly string[]>> = {
  deploy: ['deploy', 'release', 'ship', 'deploy', 'roll out', 'bring up the new version of'],
  restart: ['restart', 'reboot', 'restart', 'kick', 'bounce', 'stop and start'],
  refund: ['refund', 'give back', 'refund', 'return the money for', 'reimburse', 'pay back'],
  export: ['export', 'download', 'export', 'fetch a file of', 'dump', 'save a copy of'],
  archive: ['archive', 'put away', 'archive', 'close', 'shelve', 'move to the attic'],
  audit: ['audit', 'check', 'audit', 'verify', 'look over', 'go through'],
}
const OBJECTS = ['payments', 'orders', 'search', 'billing', 'mail', 'stock']
const FRAMES = [
  'Please {v} {n} {id}',
  '{v} {n} {id} now',
  'Can you {v} the {n} {id}?',
  'I want to {v} {n}, number {id}',
  '{id}: {v} {n}',
  'We must {v} our {n} {id} today',
]
const UNRELATED = [
  'What is the weather like?',
  'Thanks, that was all X-1234',
  'Tell me a joke about X-1234',
  'Who is on duty tomorrow?',
  'Translate X-1234 into French',
]

/** Of 36 jobs, 24 have skills; four of these belong to another environment. */
const JOBS: readonly Job[] = Object.entries(DEEDS)
  .flatMap(([deed, words]) => OBJECTS.map((object) => ({ deed, words, object })))
  .map(({ deed, words, object }, i) => ({
    id: `${deed}.${object}`,
    by: i % 3 === 2 ? 'nobody' : i % 9 === 4 ? 'elsewhere' : 'here',
    deeds: words.slice(0, -2),
    objects: [object],
    unseen: { deeds: words.slice(-2), objects: [object] },
  }))

/** Few frames for all texts, each deed and each object shared by many jobs: what the rules of words were worked out on. */
export const SERVICES: World = { jobs: JOBS, frames: FRAMES, question }

/** 60 of 100 ask for a skill of this environment, 15 for one of another, 10 for a job that looks like one, 15 for nothing of that sort. */
function question(i: number): Question {
  const sort = luck(`sort ${i}`)
  if (sort >= 0.85) return { sort: 'unrelated', userText: pick(UNRELATED, `other ${i}`), wanted: undefined }
  const by = sort < 0.6 ? 'here' : sort < 0.75 ? 'elsewhere' : 'nobody'
  const job = pick(
    JOBS.filter((one) => one.by === by),
    `${by} ${i}`,
  )
  const isUnseen = luck(`wording ${i}`) < 0.33
  const frame = pick(FRAMES, `frame held ${i}`)
  const text = filled(luck(`id ${i}`) < 0.08 ? frame.replace('{id}', '') : frame, isUnseen ? job.unseen : job, `held ${i}`)
  return {
    sort: isUnseen && by === 'here' ? 'unseen deed' : by === 'here' ? 'plain' : by,
    userText: text,
    wanted: by === 'here' ? job.id : undefined,
  }
}
