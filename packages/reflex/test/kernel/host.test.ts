import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Host, systemHost } from '../../src/kernel/ports/host.ts'
import { virtualHost } from '../../src/kernel/ports/virtual-host.ts'
import { kindOf, worldOf } from './world.ts'

const HOUR = 3_600_000

/** A machine whose clock and timers the test moves, each by itself. */
function machine(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 5, 9) })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a timer of the machine', () => {
  it('rings at its time, once, and not after it was called off', () => {
    machine()
    const rung: string[] = []
    const from = systemHost.now()
    systemHost.at(from + 3 * HOUR, () => rung.push('late'))
    systemHost.at(from + 40, () => rung.push('soon'))
    systemHost.at(from - 5, () => rung.push('past'))
    const stop = systemHost.at(from + HOUR, () => rung.push('never'))
    vi.advanceTimersByTime(41)
    expect(rung).toEqual(['past', 'soon'])
    vi.advanceTimersByTime(HOUR / 2)
    stop()
    vi.advanceTimersByTime(3 * HOUR - HOUR / 2 - 42)
    expect(rung).toEqual(['past', 'soon'])
    vi.advanceTimersByTime(1)
    expect(rung).toEqual(['past', 'soon', 'late'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rings soon after a machine wakes up that slept over its time', () => {
    machine()
    let rung = 0
    const from = systemHost.now()
    systemHost.at(from + HOUR, () => rung++)
    vi.advanceTimersByTime(60_000)
    // Timers stand still while a machine sleeps; its clock does not.
    vi.setSystemTime(from + 8 * HOUR)
    vi.advanceTimersByTime(10_000)
    expect(rung).toBe(1)
  })

  it('rings after the same while when the clock is set back', () => {
    machine()
    let rung = 0
    const from = systemHost.now()
    systemHost.at(from + 20, () => rung++)
    vi.setSystemTime(from - HOUR)
    vi.advanceTimersByTime(20)
    expect(rung).toBe(1)
  })
})

describe('a clock that is set back while a run waits for a time', () => {
  it('does not make the time come earlier', async () => {
    const inner = virtualHost()
    let back = 0
    // As the machine does it: a timer runs for the time that was left when it was set.
    const host: Host = {
      now: () => inner.now() - back,
      monotonic: () => inner.monotonic(),
      entropy: () => inner.entropy(),
      turn: (callback) => inner.turn(callback),
      at: (time, callback) => inner.at(time + back, callback),
    }
    const sleeps = kindOf('sleeps', (x, input) => (input === undefined ? void x.timer(1000) : x.done(x.now)))
    const { start } = worldOf([sleeps], { host })
    const run = await start('sleeps')
    const due = [...run.state.waits.values()][0]?.due
    back = 400
    await inner.advance(1000)
    expect([run.status, host.now()]).toEqual(['suspended', (due ?? 0) - 400])
    await inner.advance(400)
    expect(run.state.ended?.value).toBe(due)
  })
})
