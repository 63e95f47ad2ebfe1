/** The tasks: requests of customers, and the cases that they are about. */
import { chance, pick } from './chance.ts'
import type { Case, Desk } from './desk.ts'
import { BESIDES, PROCEDURES } from './procedures.ts'

export interface Task {
  /** Part of every id of its case, so that two tasks share nothing. */
  readonly number: string
  /** The name of its procedure. */
  readonly shape: string
  readonly text: string
  /** The place of what was asked besides. */
  readonly besides: readonly number[]
}

/** How often each sort of request comes, of a hundred. */
const SHARES: Readonly<Record<string, number>> = {
  'refund of a lost parcel': 14,
  'exchange of a broken article': 13,
  'second delivery': 12,
  'where is my parcel': 14,
  'copy of an invoice': 10,
  'refund, parcel not lost': 3,
  'exchange, none in stock': 2,
  'price of an order': 8,
  'question about the rules': 6,
  'letter of apology': 5,
  'summary in the ticket': 5,
  'change of address': 4,
  'same request twice': 4,
}

/** Of ten requests, so many have something besides, before or after. */
const BESIDES_SHARE = 0.7
/** The wordings that are kept from the runs that are learned from. */
const UNSEEN = 2

/** Returns so many tasks. `learned`: those that are learned from have no novel ones, and fewer wordings. */
export function makeTasks(seed: number, count: number, learned: boolean): readonly Task[] {
  const names = Object.entries(SHARES)
    .filter(([name]) => !learned || PROCEDURES[name]?.sort !== 'novel')
    .flatMap(([name, share]) => Array.from({ length: share }, () => name))
  return Array.from({ length: count }, (_, i) => {
    const number = `${seed}${String(i).padStart(4, '0')}`
    const shape = pick(names, `shape ${number}`)
    const procedure = PROCEDURES[shape]
    if (procedure === undefined) throw new Error(`there is no procedure ${shape}`)
    const besides = besidesOf(number, shape)
    const { wordings } = procedure
    const known = learned && wordings.length > UNSEEN ? wordings.slice(0, -UNSEEN) : wordings
    const said = [
      ...besides.filter((one) => BESIDES[one]?.place === 'before').map((one) => BESIDES[one]?.wording ?? ''),
      pick(known, `wording ${number}`),
      ...besides.filter((one) => BESIDES[one]?.place === 'after').map((one) => BESIDES[one]?.wording ?? ''),
    ]
    return { number, shape, text: filled(said.join(' '), number), besides }
  })
}

function besidesOf(number: string, shape: string): readonly number[] {
  if (PROCEDURES[shape]?.sort === 'one call') return []
  return (['before', 'after'] as const).flatMap((place) => {
    if (chance(`besides ${place} ${number}`) >= BESIDES_SHARE) return []
    const those = BESIDES.flatMap((one, i) => (one.place === place ? [i] : []))
    return [pick(those, `which ${place} ${number}`)]
  })
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
const STREETS = ['Mill Lane', 'High Street', 'Station Road', 'Park Row']

function filled(text: string, number: string): string {
  const values: Readonly<Record<string, string>> = {
    order: `A-${number}`,
    ticket: `T-${number}`,
    other: `T-${number}9`,
    customer: `C-${number}`,
    day: pick(DAYS, `day ${number}`),
    address: `${1 + Math.floor(chance(`house ${number}`) * 90)} ${pick(STREETS, `street ${number}`)}`,
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** Opens the case of a task at a desk. */
export function openCase(desk: Desk, { number, shape }: Task): void {
  const isLost = shape === 'refund of a lost parcel'
  const isHeld = shape === 'second delivery'
  const found: Case = {
    customer: { customer_id: `C-${number}`, customer_name: pick(['Ana', 'Ben', 'Cho', 'Dia'], `name ${number}`), tier: 'plain' },
    order: {
      order_id: `A-${number}`,
      customer_id: `C-${number}`,
      parcel_id: `P-${number}`,
      sku: `S-${number}`,
      total: 100 + Math.floor(chance(`total ${number}`) * 900),
      address: 'as ordered',
    },
    parcel: {
      parcel_id: `P-${number}`,
      carrier: pick(['swift', 'heron', 'otter'], `carrier ${number}`),
      parcel_state: isLost ? 'late' : isHeld ? 'held' : 'moving',
      carrier_says: isLost ? 'lost' : isHeld ? 'held' : 'moving',
      place: pick(['Lyon', 'Turin', 'Ghent', 'Cork'], `place ${number}`),
      eta: pick(DAYS, `eta ${number}`),
    },
    ticket: { ticket_id: `T-${number}`, notes: new Map(), tags: new Set(), links: new Set(), isSurveyed: false },
    pieces: shape === 'exchange, none in stock' ? 0 : 3,
    letters: [],
  }
  desk.open(number, found)
}
