import { describe, expect, it } from 'vitest'
import { kindOf, type Step, worldOf } from './world.ts'

describe('a program that a run makes of its own', () => {
  it('does not take the place of the registered one for other runs', async () => {
    const grows: Step = (x) => {
      if (x.def === 'grown') return x.done('grown')
      if (x.args === 'grow') {
        x.become('grown')
        return x.again()
      }
      return x.done(x.def)
    }
    const { runtime } = worldOf([kindOf('grows', grows)])
    runtime.programs.add('grows', 'it', 'small')
    const ends: unknown[] = []
    for (const args of ['grow', 'stay']) {
      const program = runtime.programs.find('grows:it')
      const run = program === undefined ? undefined : await runtime.start(program, { args })
      await run?.idle()
      ends.push(run?.state.ended?.value)
    }
    expect(ends).toEqual(['grown', 'small'])
  })
})
