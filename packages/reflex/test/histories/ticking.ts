import type { Kind } from '../../src/kernel/index.ts'

interface Ticks {
  readonly every: number
  readonly ticks: number
}

/** A kind whose runs are sealed every few records: no kind of this release had segments when format 3 was closed. */
export const ticking: Kind<Ticks> = {
  name: 'ticking',
  rev: 1,
  endless: 8,
  compile: (source) => source as unknown as Ticks,
  step(x, input) {
    const { every, ticks } = x.def
    if (input === undefined) {
      x.go(x.now)
      x.wait('timer', 'tick', { every })
    }
    if (input?.[0] !== 'timer') return
    const tick = Number(x.get('tick') ?? 0) + 1
    // Every third tick changes nothing, and has no record.
    if (Math.round((x.now - Number(x.position)) / every) % 3 === 0) return x.skip()
    x.set('tick', tick)
    if (tick === ticks) x.done({ tick })
  },
}
