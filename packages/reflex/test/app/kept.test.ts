import { expect, test } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { startForged } from './forging.ts'
import { PLACES } from './workers.ts'

const WRONG: readonly (readonly [string, Json])[] = [
  ['no fields', {}],
  ['numbers', { actor: 5, trust: 'trusted', workdir: 5, file: 5, agent: 5, tools: 5, limits: 5, simulate: 5, logs: 5, proof: 5 }],
  ['lists', { actor: [], trust: [], workdir: [], file: [], agent: [], tools: [5], limits: [], logs: [], proof: [] }],
  [
    'fields of fields',
    { agent: { default: 1, perNode: 5, script: 'x', model: {} }, limits: { tokens: 'all' }, logs: { folder: 1 }, proof: { nonce: 1 } },
  ],
  ['null', { actor: null, trust: null, file: null, agent: null, tools: null, limits: null, logs: null, proof: null }],
]

test.each(WRONG)(
  'a journal that says of its start what nobody can mean, %s: looked at, forked, resumed, with no more than the usual trust',
  async (_, by) => {
    const [, place] = PLACES[0] ?? []
    const here = place?.().live(virtualHost())
    if (here === undefined) throw new Error('there is no place')
    const { reflex } = here
    await startForged(reflex, here.program('waits', { questions: ['approve'] }), by, 'otter')
    const opened = await reflex.resume('otter')
    expect(['untrusted', 'probationary']).toContain(opened.run.settings.trust)
    const fork = await reflex.fork('otter')
    expect(['untrusted', 'probationary']).toContain(fork.trust)
    expect((await reflex.show('otter')).questions.length).toBe(1)
  },
)
