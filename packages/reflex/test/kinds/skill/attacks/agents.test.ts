import { describe, expect, it } from 'vitest'
import { type Attack, attacks, type Came, shows } from './attack.ts'
import { byAgent } from './by-agent.ts'
import { byHand } from './by-hand.ts'
import { Ground } from './ground.ts'
import { WHOLE } from './parts.ts'
import { without } from './protections.ts'

const LONGEST = 60_000

const told = ({ told: words = '' }: Attack, came: Came): string => (came.told.includes(words) ? words : came.told.slice(0, 4000))

describe.for(attacks().filter(({ on }) => on === 'agent'))('$name', (attack) => {
  const guards = [attack.guard].flat()

  // proves: skill 74, skill 75, skill 76, skill 77, skill 78, skill 81
  it(`is stopped, and told: ${attack.tries}`, { timeout: LONGEST }, async () => {
    for (const came of [await byAgent(new Ground(attack)), await byHand(new Ground(attack), WHOLE)]) {
      expect([shows(attack.sign, came), told(attack, came)]).toEqual([false, attack.told ?? ''])
      expect(came.isOpen).toBe(false)
    }
  })

  it(`succeeds without ${guards.join(' and ')}`, { timeout: LONGEST }, async () => {
    const came = await byHand(new Ground(attack), without(guards))
    expect(shows(attack.sign, came), JSON.stringify([came.calls, came.shown, came.sent, came.told.slice(-3000)])).toBe(true)
  })
})
