import { describe, expect, it } from 'vitest'
import { postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { Chaos } from './chaos/chaos.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''

describe.skipIf('missing' in programs)(`runs of all kinds in a cluster with faults${skipped}`, () => {
  // `npm run faults` plays 2,000 runs with drawn faults.
  it('lose nothing, repeat nothing that has settled, and keep their order', async () => {
    const faults = ['kill', 'cut', 'delay', 'stop', 'restart', 'silence', 'deploy', 'kill'] as const
    const { wrong, delays, effects } = await Chaos.play({
      runs: 60,
      seed: 1,
      workers: 3,
      leaseMs: 4000,
      abreast: 60,
      every: [500, 1500],
      faults,
      most: faults.length,
    })
    expect(wrong).toEqual([])
    // Each run has three effects at least, and is due when it starts.
    expect(effects).toBeGreaterThan(180)
    expect(new Set(delays.map(({ run }) => run)).size).toBe(60)
  })
})
