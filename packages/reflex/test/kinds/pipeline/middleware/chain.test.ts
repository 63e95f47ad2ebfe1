import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runDot, told, type Went, type World } from '../engine/harness.ts'
import type { Middleware } from '../../../../src/kinds/pipeline/engine/middleware.ts'

const ok = { execute: () => ({ status: 'success' as const }), idempotency: 'idempotent' as const }
const run = (node: string, world: World = {}, graph = ''): Promise<Went> =>
  runDot(`digraph g { ${graph} start [shape=Mdiamond] work [type=ok ${node}] done [shape=Msquare] start -> work -> done }`, {
    ...world,
    handlers: { ok },
  })

/** A member that writes down when it is called. */
function member(name: string, calls: string[], more: Partial<Middleware> = {}): Middleware {
  return {
    name,
    before(token) {
      if (token.context.node.id === 'work') calls.push(`${name} before`)
      return token.context.node.id === 'work' ? more.before?.(token) : undefined
    },
    after(token, outcome) {
      if (token.context.node.id === 'work') calls.push(`${name} after`)
      return token.context.node.id === 'work' ? more.after?.(token, outcome) : undefined
    },
  }
}

describe('the chain', () => {
  // proves: pipeline 12.100, pipeline s5.1c
  test('runs before in order and after in reverse', async () => {
    const calls: string[] = []
    await run(', middleware="c"', { always: [member('a', calls), member('b', calls)], middleware: new Map([['c', member('c', calls)]]) })
    expect(calls).toEqual(['a before', 'b before', 'c before', 'c after', 'b after', 'a after'])
  })

  // proves: pipeline 12.101, pipeline s5.1b, pipeline 5.1c
  test('stops at a member that halts: neither the handler nor later members run, and the members that began are closed', async () => {
    const calls: string[] = []
    const no = member('no', calls, { before: () => ({ halt: 'not today' }) })
    const went = await run('', { always: [member('a', calls), no, member('z', calls)] })
    expect(went.status).toBe('failed')
    expect(went.reason).toContain('not today')
    expect(calls).toEqual(['a before', 'no before', 'no after', 'a after'])
    expect(told(went, 'middleware_halted')).toMatchObject([{ node_id: 'work', middleware: 'no', reason: 'not today' }])
  })

  test('uses the outcome of a member that halts', async () => {
    const halt = member('halt', [], { before: () => ({ halt: 'later', outcome: { status: 'success', notes: 'not needed' } }) })
    expect((await run('', { always: [halt] })).status).toBe('success')
  })

  // proves: pipeline 5.1a
  test.each(['before', 'after'] as const)('fails closed where a member throws %s', async (phase) => {
    const broken = member('broken', [], {
      [phase]: () => {
        throw new Error('out of order')
      },
    })
    expect((await run('', { always: [broken] })).reason).toContain('broken failed: out of order')
  })

  // proves: pipeline 2.6.10, pipeline 3.2c, pipeline 3.6a
  test('is not softened, and not retried', async () => {
    const no = member('no', [], { before: () => ({ halt: 'not today' }) })
    const went = await run(', max_retries=3, allow_partial=true, auto_status=true', { always: [no] })
    expect(went.status).toBe('failed')
    expect(told(went, 'stage_retrying')).toEqual([])
  })
})

describe('attributes that disable checks', () => {
  const rows: [attributes: string, trust: string, skipped: string[], refused: string[]][] = [
    ['skip_middleware="taint_check,budget"', 'trusted', ['taint_check', 'budget'], []],
    ['skip_middleware="taint_check"', 'probationary', [], ['taint_check']],
    ['skip_middleware="taint_check"', 'untrusted', [], ['taint_check']],
    ['skip_middleware="capability_check,checkpoint,safe_input"', 'autonomous', ['safe_input'], ['capability_check', 'checkpoint']],
    ['skip_middleware="taint_chek"', 'trusted', [], ['taint_chek']],
  ]
  // proves: pipeline 12.119, pipeline s5.3a, pipeline 5.6c
  test.each(rows)('%s of somebody %s', async (attributes, trust, skipped, refused) => {
    const went = await run(`, ${attributes}`, { trust })
    expect(went.status).toBe('success')
    expect(told(went, 'middleware_skipped').map(({ middleware }) => middleware)).toEqual(skipped)
    expect(told(went, 'skip_refused').map(({ middleware }) => middleware)).toEqual(refused)
  })

  // proves: pipeline 5.6b
  test.each(['trusted', 'probationary'])('cannot disable all of them, %s', async (trust) => {
    const refuses = (need: string): string | undefined => (need.includes('custom/ok') ? 'nobody grants it' : undefined)
    const went = await run('', { trust, refuses }, 'mandatory_middleware=false')
    expect(went.reason).toContain('unauthorized')
    expect(told(await run('', { trust }, 'mandatory_middleware=false'), 'skip_refused')).toMatchObject([
      { middleware: 'mandatory_middleware' },
    ])
  })

  test('an unknown name stops the node', async () => {
    expect((await run(', middleware="secret_scna"')).reason).toContain('there is no middleware "secret_scna"')
    expect((await run(', middleware="secret_scan"')).status).toBe('success')
  })

  // proves: pipeline s1.2a
  test('no attribute bypasses the capabilities', async () => {
    const names = ['capability_check', 'taint_check', 'sanitization', 'safe_input', 'checkpoint', 'budget', 'signal_emit', 'all', '*', '']
    const written = fc.record({
      skip: fc.subarray(names),
      middleware: fc.subarray(names.slice(0, 7)),
      off: fc.constantFrom('', 'mandatory_middleware=false', 'mandatory_middleware="0"', 'trust="autonomous"; mandatory_middleware=false'),
      more: fc.subarray(['trust_tier=autonomous', 'capabilities=""', 'handler_type=start', 'auto_status=true', 'allow_partial=true']),
      trust: fc.constantFrom('untrusted', 'probationary', 'trusted', 'veteran', 'autonomous'),
    })
    await fc.assert(
      fc.asyncProperty(written, async ({ skip, middleware, off, more, trust }) => {
        const attributes = [`skip_middleware="${skip.join(',')}"`, `middleware="${middleware.join(',')}"`, ...more].join(', ')
        const refuses = (need: string): string | undefined => (need.includes('custom/ok') ? 'nobody grants it' : undefined)
        const went = await run(`, ${attributes}`, { trust, refuses }, off)
        expect(went.reason).toContain('unauthorized')
      }),
      { numRuns: 60 },
    )
  })
})

// proves: pipeline 5.6f
test('an authoriser that throws denies: nothing is executed', async () => {
  const went = await runDot(
    'digraph g { start [shape=Mdiamond] a [type=transform, transform=constant, expression=x] done [shape=Msquare] start -> a -> done }',
    {
      refuses() {
        throw new Error('no answer from the policy')
      },
    },
  )
  expect([went.status, went.trail]).toEqual(['failed', []])
  expect(went.reason).toContain('no answer from the policy')
})
