import { type Json, type JsonObject, isObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Graph {
  readonly topic: string
  readonly ledger: string
  /** Called after the pass for events that name it. */
  readonly dispatch?: string
}

type Step = Parameters<Kind<Graph>['step']>[0]

/**
 * Shaped after the dataflow: it waits for the next event, makes one pure pass over it, then drains what the pass
 * wants: an entry in a ledger, and a program started. A read of the ledger is an effect too.
 */
export const pass: Kind<Graph> = {
  name: 'pass',
  rev: 1,
  compile: (source) => source as unknown as Graph,
  calls: ({ dispatch }) => (dispatch === undefined ? [] : [dispatch]),
  step(x, input) {
    switch (input?.[0]) {
      case undefined:
        return listen(x)
      case 'message':
        return evaluate(x, isObject(input[2]) ? input[2] : {})
      case 'ok':
        return appended(x, input[2])
      case 'ret':
        x.set('dispatched', [input[2], input[3] ?? null])
        return listen(x)
      default:
    }
  },
}

function listen(x: Step): void {
  x.wait('message', x.def.topic)
}

function evaluate(x: Step, event: JsonObject): void {
  if (event.stop === true) {
    x.go('reading')
    return void x.request('ledger', ['read', x.def.ledger])
  }
  const sum = Number(x.get('sum') ?? 0) + Number(event.amount ?? 0)
  x.set('sum', sum)
  x.go(event.dispatch === true ? 'dispatching' : 'waiting')
  x.request('ledger', ['append', x.def.ledger, sum])
}

function appended(x: Step, value: Json): void {
  if (x.position === 'reading') return x.done({ sum: x.get('sum') ?? 0, ledger: value })
  if (x.position === 'dispatching' && x.def.dispatch !== undefined)
    return void x.call(x.def.dispatch, { isolated: true, args: { sum: x.get('sum') ?? 0 } })
  listen(x)
}
