import { isObject, type Json } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Place {
  readonly ledger: string
}

type Step = Parameters<Kind<Place>['step']>[0]

/** The request of each position, in order. `owner`: the number of the entry that claims the name. */
const REQUESTS: readonly ((x: Step, owner: number) => Json)[] = [
  (x) => ['latest', x.def.ledger, ['owner', 'count']],
  (x, owner) => claim(x, [{ name: 'owner', value: x.args ?? 'nobody', after: owner }, { name: 'count', value: 1 }, { value: 'claimed' }]),
  (x) =>
    claim(x, [
      { name: 'count', value: 9 },
      { name: 'owner', value: 'another', after: 0 },
    ]),
  (x, owner) =>
    claim(x, [
      { name: 'count', value: 2 },
      { name: 'owner', after: owner },
    ]),
  (x) => claim(x, [{ name: 'owner', value: 'the next', after: 0 }]),
  (x) => ['append', x.def.ledger, 'a line'],
  (x) => ['read', x.def.ledger, 0],
  (x) => ['latest', x.def.ledger],
]

function claim(x: Step, entries: Json): Json {
  return ['appendAll', x.def.ledger, entries, { keep: 60_000 }]
}

/**
 * Shares a ledger with other runs: it claims a name under the condition that nobody has it, loses a claim, releases the name and claims it
 * again. It ends with everything that it was answered.
 */
export const share: Kind<Place> = {
  name: 'share',
  rev: 1,
  compile: (source) => source as unknown as Place,
  step(x, input) {
    if (input !== undefined && input[0] !== 'ok') return undefined
    const at = Number(x.position ?? 0)
    if (input !== undefined) x.set(`answer ${at - 1}`, input[2])
    const request = REQUESTS[at]
    if (request === undefined) return x.done(REQUESTS.map((_, i) => x.get(`answer ${i}`) ?? null))
    x.go(at + 1)
    return void x.request('ledger', request(x, firstNumber(x.get('answer 1'))))
  },
}

function firstNumber(appended: Json | undefined): number {
  const numbers = isObject(appended) ? appended['numbers'] : undefined
  return Array.isArray(numbers) ? Number(numbers[0]) : 0
}
