import { filled, type Job, luck, numberOf, pick, type Question, type World, type Wording } from './questions.ts'

/** The last of three wordings is in no text that was learned from. Words of deeds and objects occur in several jobs, of one trade and across trades. */
type Row = readonly [id: string, by: Job['by'], deeds: string, objects: string, unseenDeeds: string, unseenObjects: string]
const ROWS: readonly Row[] = [
  ['leave.request', 'here', 'request|book|file', 'leave|time off|holiday', 'put in for|arrange', 'vacation|some days away'],
  ['leave.cancel', 'here', 'cancel|withdraw|drop', 'leave|time off|holiday', 'call off|take back', 'vacation|my absence'],
  ['leave.show', 'here', 'show|count|tell me', 'leave balance|remaining holidays', 'work out|look at', 'days I have left'],
  ['leave.move', 'nobody', 'move|postpone', 'leave|time off|holiday', 'shift', 'vacation'],
  ['payslip.send', 'here', 'send|mail|email', 'payslip|salary statement', 'hand over|forward', 'wage note|payroll sheet'],
  ['payslip.correct', 'here', 'correct|fix|repair', 'payslip|salary statement', 'mend|sort out', 'wage note|payroll sheet'],
  ['payslip.explain', 'nobody', 'explain|interpret', 'payslip|salary statement', 'walk me through', 'wage note'],
  ['badge.issue', 'here', 'issue|print|order', 'badge|access card', 'make|hand out', 'door pass|entry chip'],
  ['badge.block', 'here', 'block|disable|cancel', 'badge|access card', 'switch off|freeze', 'door pass|entry chip'],
  ['badge.find', 'elsewhere', 'find|trace', 'badge|access card', 'hunt for', 'door pass'],
  ['room.book', 'here', 'book|reserve|request', 'room|suite', 'get us|secure', 'place to sleep|chamber'],
  ['room.cancel', 'here', 'cancel|release|drop', 'room|suite', 'call off|let go of', 'overnight stay|chamber'],
  ['room.clean', 'here', 'clean|tidy|make up', 'room|suite', 'hoover|freshen', 'chamber|bedroom'],
  ['room.upgrade', 'elsewhere', 'upgrade|improve', 'room|suite', 'give a better', 'chamber'],
  ['room.extend', 'nobody', 'extend|prolong', 'room|suite', 'lengthen', 'overnight stay'],
  ['breakfast.book', 'here', 'book|order|add', 'breakfast|morning buffet', 'throw in|include', 'first meal|early food'],
  ['breakfast.cancel', 'here', 'cancel|remove|drop', 'breakfast|morning buffet', 'leave out|skip', 'first meal|early food'],
  ['shuttle.book', 'here', 'book|order|reserve', 'shuttle|airport transfer', 'get us|arrange', 'ride to the plane|minibus'],
  ['shuttle.cancel', 'nobody', 'cancel|drop', 'shuttle|airport transfer', 'call off', 'minibus'],
  ['laptop.replace', 'here', 'replace|swap|exchange', 'laptop|notebook', 'change over|trade in', 'portable computer|machine'],
  ['laptop.repair', 'here', 'repair|fix|mend', 'laptop|notebook', 'patch up|bring back to life', 'portable computer|machine'],
  ['laptop.wipe', 'here', 'wipe|erase|reset', 'laptop|notebook', 'blank|clear', 'portable computer|machine'],
  ['laptop.order', 'nobody', 'order|buy', 'laptop|notebook', 'procure', 'portable computer'],
  ['monitor.order', 'here', 'order|buy|request', 'monitor|screen', 'procure|acquire', 'display|panel'],
  ['monitor.repair', 'elsewhere', 'repair|fix', 'monitor|screen', 'patch up', 'display'],
  ['monitor.replace', 'nobody', 'replace|swap', 'monitor|screen', 'trade in', 'display'],
  ['printer.repair', 'here', 'repair|fix|unjam', 'printer|copier', 'get going|sort out', 'paper machine|scanner'],
  ['printer.refill', 'here', 'refill|change toner in|load paper into', 'printer|copier', 'top up|feed', 'paper machine|scanner'],
  ['password.reset', 'here', 'reset|renew|change', 'password|passcode', 'set again|swap out', 'secret word|login key'],
  ['vpn.reset', 'here', 'reset|restart|renew', 'vpn|remote access', 'set again|kick', 'tunnel|home connection'],
  ['vpn.block', 'nobody', 'block|disable', 'vpn|remote access', 'switch off', 'tunnel'],
  ['invoice.approve', 'here', 'approve|accept|sign off', 'invoice|bill', 'wave through|okay', 'vendor paper|payment request'],
  ['invoice.reject', 'here', 'reject|refuse|decline', 'invoice|bill', 'turn down|throw out', 'vendor paper|payment request'],
  ['invoice.send', 'here', 'send|mail|email', 'invoice|bill', 'hand over|forward', 'vendor paper|payment request'],
  ['expense.approve', 'here', 'approve|accept|sign off', 'expense report|travel claim', 'wave through|okay', 'receipts|outlay'],
  ['expense.reject', 'nobody', 'reject|refuse', 'expense report|travel claim', 'turn down', 'receipts'],
  ['expense.pay', 'elsewhere', 'pay|settle', 'expense report|travel claim', 'transfer the money for', 'receipts'],
  ['budget.show', 'here', 'show|report|tell me', 'budget|spending', 'break down|look at', 'funds|purse'],
  ['budget.raise', 'here', 'raise|increase|extend', 'budget|spending', 'lift|widen', 'funds|purse'],
]

const words = (text: string): readonly string[] => text.split('|')
const JOBS: readonly Job[] = ROWS.map(([id, by, deeds, objects, unseenDeeds, unseenObjects]) => ({
  id,
  by,
  deeds: words(deeds),
  objects: words(objects),
  unseen: { deeds: words(unseenDeeds), objects: words(unseenObjects) },
}))

const FRAMES = [
  '{v} the {n} {id}',
  'Please {v} {n} {id} for me',
  'Could you {v} my {n}? It is {id}',
  'I need to {v} a {n}, reference {id}',
  'Hello, {id}: {v} the {n}, thanks',
  'For Ms Weber: {v} {n} {id} by Friday',
  '{v} {n} {id} as soon as possible',
]
/** No text that was learned from has these frames. */
const NEW_FRAMES = [
  'Would you be so kind and {v} the {n} with the reference {id}?',
  'my boss told me that somebody has to {v} the {n}, see {id}',
  '{n} {id} again. {v} it, will you',
  'Urgent!! {v} {n} {id}',
  'It would help us if you could {v} that {n} ({id}) before lunch',
  'About {id}, I think it is best to {v} the {n}',
  'case {id} – {v} {n} – many thanks in advance',
]
const CHATTY = [
  'Good morning! I hope the weekend by the lake was nice and the kids are well again. One thing before the meeting starts: could you {v} the {n} {id}? The visitors are already downstairs and I still have to find my notes.',
  'So, I was on the phone with Tom for an hour, and we agreed on nearly everything. What is left is that we {v} the {n} {id}. After that I owe you a coffee, the good one from round the corner.',
  'Sorry to bother you at this hour. The train was late, my battery is nearly empty and I cannot open the portal from here, so please {v} {n} {id} on my behalf and write me a line when it has worked.',
]
const ABOUT = ['How long does it usually take to {v} a {n}?', 'Who is allowed to {v} the {n}?', 'Is it possible to {v} a {n} twice?']
const UNRELATED = [
  'What is for lunch on {id}?',
  'Thank you, {id} can be closed',
  'Sing me something about {id}',
  'The meeting {id} was a waste of my morning',
  'Which of the two printers is nearer to {id}?',
  'My screen says hello {id}, funny, is it not?',
  'Where did you leave the key of {id}?',
]

/** Other trades with other frames: nothing of the product was worked out on it. The words of deeds and of objects vary in each job. */
export const OFFICES: World = { jobs: JOBS, frames: FRAMES, question }

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

function sortOf(i: number): Sort {
  let left = luck(`office sort ${i}`) * 100
  for (const [sort, share] of SORTS) {
    left -= share
    if (left < 0) return sort
  }
  return 'unrelated'
}

function jobBy(by: Job['by'], seed: string): Job {
  return pick(
    JOBS.filter((job) => job.by === by),
    `office ${by} ${seed}`,
  )
}

function question(i: number): Question {
  const sort = sortOf(i)
  const seed = `office ${i}`
  const frame = pick(NEW_FRAMES, `frame ${seed}`)
  if (sort === 'unrelated') return { userText: filled(pick(UNRELATED, seed), { deeds: [''], objects: [''] }, seed), wanted: undefined }
  if (sort === 'elsewhere' || sort === 'nobody') return { userText: filled(frame, jobBy(sort, seed), seed), wanted: undefined }
  const job = jobBy('here', seed)
  if (sort === 'about') return { userText: filled(pick(ABOUT, seed), job, seed), wanted: undefined }
  return { userText: textOf(sort, job, frame, seed), wanted: job.id }
}

function textOf(sort: Sort, job: Job, frame: string, seed: string): string {
  const { unseen } = job
  const wordings: Partial<Record<Sort, Wording>> = {
    'unseen deed': { deeds: unseen.deeds, objects: job.objects },
    'unseen object': { deeds: job.deeds, objects: unseen.objects },
    'unseen both': unseen,
  }
  if (sort === 'chatty') return filled(pick(CHATTY, seed), job, seed)
  if (sort === 'typo') return mistyped(filled(frame, job, seed), job, seed)
  const text = filled(frame, wordings[sort] ?? job, seed)
  if (sort !== 'two jobs') return text
  const before = filled('Yesterday you were quick to {v} the {n}.', jobBy('here', `${seed} before`), `${seed} before`)
  return `${before} ${text} ${numberOf(seed)}`
}

/** Returns a text with two letters swapped in a word of the deed or the object. */
function mistyped(text: string, { deeds, objects }: Wording, seed: string): string {
  const long = [...deeds, ...objects].flatMap((words) => words.split(' ')).filter((word) => word.length > 4 && text.includes(word))
  if (long.length === 0) return text
  const word = pick(long, `typo ${seed}`)
  const at = 1 + Math.floor(luck(`typo at ${seed}`) * (word.length - 2))
  return text.replace(word, word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2))
}
