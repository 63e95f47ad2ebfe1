import { describe, expect, test } from 'vitest'
import type { Port } from '../../src/kernel/ports/port.ts'
import { kindOf, type Step, worldOf } from './world.ts'

/** Asks a port once, and ends with the kind of its answer. */
const asks: Step = (x, input) => {
  if (input === undefined) x.request('host', [1])
  else if (input[0] !== 'part' && input[0] !== 'again') x.done(input[0])
}

function throwing(value: unknown): () => never {
  return () => {
    throw value
  }
}

const FAULT = Symbol.for('reflex.fault')
const circular: { self?: unknown } = {}
circular.self = circular

/** What the code of a host may throw or return in place of an error. */
const THROWN: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('closed')],
  ['nothing', undefined],
  ['null', null],
  ['a symbol', Symbol('closed')],
  ['a number without bounds', 3n],
  ['an object without a prototype', Object.create(null)],
  ['an error whose message throws', Object.defineProperty(new Error('x'), 'message', { get: throwing(new Error('message')) })],
  ['an error whose message is a number', Object.assign(new Error('x'), { message: 5 })],
  [
    'an object whose code throws',
    {
      get code() {
        return throwing(new Error('code'))()
      },
      message: 'm',
    },
  ],
  ['what looks like a fault', { code: 'R1', message: 'm', verdict: 'bad', data: { circular } }],
  ['what calls itself a fault', { [FAULT]: true }],
  ['a fault that cannot be read', new Proxy({ [FAULT]: true }, { get: throwing(new Error('get')) })],
  [
    'an object that answers nothing',
    new Proxy(new Error('x'), { get: throwing(new Error('get')), getPrototypeOf: throwing(new Error('type')) }),
  ],
  ['a circle', circular],
  ['a function', () => 1],
  ['a megabyte of text', 'x'.repeat(1_000_000)],
]

/** Where the code of a host is called for an effect. */
const PLACES: readonly (readonly [string, (value: unknown) => Partial<Port>])[] = [
  ['perform throws', (value) => ({ perform: throwing(value) })],
  ['perform rejects', (value) => ({ perform: () => Promise.reject(value) })],
  ['perform returns', (value) => ({ perform: () => value })],
  ['reject throws', (value) => ({ perform: throwing(new Error('p')), reject: throwing(value) })],
  ['reject returns', (value) => ({ perform: throwing(new Error('p')), reject: () => value as never })],
  ['accept throws', (value) => ({ perform: () => 1, accept: throwing(value) })],
  ['traits throws', (value) => ({ perform: () => 1, traits: throwing(value) })],
  ['used throws', (value) => ({ perform: () => 1, used: throwing(value) })],
  ['open throws', (value) => ({ perform: () => 1, open: throwing(value) })],
  ['close throws', (value) => ({ perform: () => 1, open: () => 1, close: throwing(value) })],
]

describe.each(PLACES)('a port of a host whose %s', (_, make) => {
  test.each(THROWN)('%s ends its run', async (__, value) => {
    const port = { leaves: false, repeat: 'free', perform: () => 1, ...make(value) } as Port
    const world = worldOf([kindOf('asks', asks)], { ports: { host: port }, onTrouble: () => undefined })
    const run = await world.start('asks', { source: null })
    await run.idle()
    expect(run.state.ended?.status).toBe('done')
  })
})
