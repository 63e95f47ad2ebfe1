import { describe, expect, it } from 'vitest'
import { attacks, shows } from './attack.ts'
import { LOOSE_READERS } from './loose-readers.ts'
import { READERS } from './readers.ts'

const LONGEST = 60_000

describe.for(attacks().filter(({ on }) => on !== 'agent'))('$name', (attack) => {
  const { tries, on, sign, told = '' } = attack
  const guard = String(attack.guard)

  it(`is stopped, and told: ${tries}`, { timeout: LONGEST }, async () => {
    const came = await READERS[on]?.(attack)
    if (came === undefined) throw new Error(`nobody reads ${on}`)
    expect([shows(sign, came), came.told.includes(told) ? told : came.told.slice(0, 2000)]).toEqual([false, told])
    expect(came.outcome).not.toBe('crashed')
  })

  it(`succeeds without ${guard}`, { timeout: LONGEST }, () => {
    const came = LOOSE_READERS[guard]?.(attack)
    if (came === undefined) throw new Error(`there is no reader without ${guard}`)
    expect(shows(sign, came), JSON.stringify(came)).toBe(true)
  })
})
