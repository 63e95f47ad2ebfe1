import type { Json } from '../../../src/kernel/journal/json.ts'
import { isObject } from '../../../src/kernel/journal/json.ts'
import type { Host } from '../../../src/kernel/ports/host.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Port } from '../../../src/kernel/ports/port.ts'
import { textOf } from './text.ts'

interface Keeper {
  readonly ticks: number
  readonly everyMs: number
}

type Step = Parameters<Kind<Keeper>['step']>[0]

/**
 * Ticks, and meanwhile keeps what a seal must keep: an effect in flight, a question with a deadline, a strand that sees its
 * spawner as it was, and a value that is written once.
 */
export const keep: Kind<Keeper> = {
  name: 'keep',
  rev: 1,
  endless: 3,
  compile: (source) => source as unknown as Keeper,
  step(x, input) {
    if (x.args === 'strand') return strand(x, input === undefined)
    if (input === undefined) return begin(x)
    if (input[0] === 'ok') x.set('effect', input[2])
    else if (input[0] === 'end') {
      x.set('strand', x.strandResult(input[1])?.value ?? null)
      x.drop(input[1])
    } else if (input[0] === 'timer' && input[1] === textOf(isObject(x.position) ? x.position.late : '')) x.set('late', true)
    else if (input[0] === 'timer') tick(x)
    finish(x)
  },
}

function strand(x: Step, isFirst: boolean): void {
  if (isFirst) x.timer(4 * x.def.everyMs)
  else x.done(x.get('seen') ?? null)
}

function begin(x: Step): void {
  x.set('seen', 'by the strand')
  x.set('kept', ['once'])
  x.request('slow', [x.def.everyMs * 4])
  x.spawn(null, { args: 'strand' })
  x.go({ tick: 0, late: x.wait('answer', 'late', { due: x.now + 5 * x.def.everyMs }) })
  x.timer(x.def.everyMs)
}

function tick(x: Step): void {
  const tick = Number(isObject(x.position) ? x.position.tick : 0) + 1
  x.set('seen', `tick ${tick}`)
  x.patch({ tick })
  if (tick < x.def.ticks) x.timer(x.def.everyMs)
}

function finish(x: Step): void {
  const parts: Json[] = []
  for (const key of ['effect', 'strand', 'late', 'kept', 'seen']) {
    if (!x.has(key)) return
    parts.push(x.get(key) ?? null)
  }
  if (x.get('seen') === `tick ${x.def.ticks}`) x.done(parts)
}

/** A port whose effect takes as many milliseconds as its arguments state. */
export const slowPort = (host: Host): Port => ({
  leaves: false,
  repeat: 'free',
  perform: ({ args }) => {
    const [ms] = args as [number]
    return new Promise((settle) => void host.at(host.now() + ms, () => settle(`after ${ms} ms`)))
  },
})
