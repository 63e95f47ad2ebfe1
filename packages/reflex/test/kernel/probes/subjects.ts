import type { Json } from '../../../src/kernel/journal/json.ts'
import { ledgerPort } from '../../../src/kernel/ports/ledger.ts'
import type { Run } from '../../../src/kernel/run/run.ts'
import type { KindSubject } from '../../../src/testing/index.ts'
import { beat } from './beat.ts'
import { decidePort, flow } from './flow.ts'
import { keep, slowPort } from './keep.ts'
import { net } from './net.ts'
import { pass } from './pass.ts'
import { payPort, plan } from './plan.ts'
import { react, streamPort } from './react.ts'
import { share } from './share.ts'
import { stage, toolPort } from './stage.ts'
import { driveSessions, talk } from './talk.ts'

export const KINDS = [flow, stage, react, pass, plan, beat, net, talk, share, keep]
/** The same kinds, with segments of so many records. */
export const sealing = (size: number): typeof KINDS => KINDS.map((kind) => ({ ...kind, endless: size }))

const program = (kind: string, id: string, source: Json) => ({ kind, id, source })
const ports: NonNullable<KindSubject['ports']> = (store, host) => ({
  decide: decidePort,
  tool: toolPort,
  stream: streamPort,
  pay: payPort,
  ledger: ledgerPort(store, host),
  slow: slowPort(host),
})
const answer: NonNullable<NonNullable<KindSubject['script']>['answer']> = ({ name }) => (name === 'late' ? undefined : `answer to ${name}`)

const inner = program('flow', 'inner', { entry: 'a', nodes: { a: { next: 'b' }, b: { person: true } } })

/** The user's own loop: it pays twice, the same amount and another, then ends its session. Its first line again after a crash. */
async function drive(run: Run): Promise<boolean> {
  const board = run.state.root.reader()
  for (const [i, amount] of [5, 5, 7].entries()) {
    const digest = `pay ${amount} #${i}`
    if (board.has(`r.${digest}`)) continue
    await run.command(0, [digest, amount])
    return true
  }
  const [wait] = run.state.waits.values()
  if (wait === undefined) return false
  await run.answer(wait.id, 'over')
  return true
}

const PLAN: KindSubject = {
  name: 'plan',
  kinds: KINDS,
  programs: [
    program('plan', 'plan', { steps: [{ pay: 10 }, { ask: 'which' }, { program: 'stage:two' }, { pay: 20 }], undo: 'flow:inner' }),
    program('stage', 'two', { stages: [{ tool: 'x' }, { tool: 'y' }] }),
    inner,
  ],
  ports,
  script: { answer },
  calling: (callee) => ({ steps: [{ pay: 1 }, { program: callee }] }),
}

export const SUBJECTS: readonly KindSubject[] = [
  {
    name: 'flow',
    kinds: KINDS,
    programs: [
      program('flow', 'outer', {
        entry: 'a',
        nodes: {
          a: { next: 'b' },
          b: { calls: 'flow:inner', map: [['from inner', 'a']], next: 'c' },
          c: { person: true, next: 'd' },
          d: {},
        },
      }),
      inner,
    ],
    args: { hello: 'world' },
    ports,
    script: { answer },
    calling: (callee) => ({ entry: 'a', nodes: { a: { calls: callee, map: [['word', 'said']], person: true, next: 'b' }, b: {} } }),
  },
  {
    name: 'stage',
    kinds: KINDS,
    programs: [
      program('stage', 'release', {
        stages: [
          { tool: 'build' },
          {
            branches: [
              [{ tool: 'a' }, { gate: 'sign a', ms: 60_000, otherwise: 'no' }],
              [{ tool: 'flaky' }],
              [{ gate: 'sign c', ms: 60_000, otherwise: 'no' }, { branches: [] }],
            ],
          },
          { gate: 'late', ms: 5_000, otherwise: 'nobody came' },
          { compose: 'plan:stuck', ms: 1_000 },
          { adapt: [{ tool: 'after' }] },
        ],
      }),
      program('plan', 'stuck', { steps: [{ pay: 3 }, { ask: 'late' }], undo: 'flow:undo' }),
      program('flow', 'undo', { entry: 'undo', nodes: { undo: {} } }),
    ],
    ports,
    script: { answer },
    calling: (callee) => ({ stages: [{ tool: 'first' }, { compose: callee, ms: 60_000 }] }),
  },
  {
    name: 'react',
    kinds: KINDS,
    programs: [
      program('react', 'tree', { leaves: [{ stream: 'hello' }, { sleep: 250 }, { subtree: 'flow:inner' }, { stream: 'x' }] }),
      inner,
    ],
    ports,
    script: { answer },
    calling: (callee) => ({ leaves: [{ sleep: 10 }, { subtree: callee }] }),
  },
  {
    name: 'react, stopped early',
    kinds: KINDS,
    programs: [program('react', 'tree', { leaves: [{ stream: 'a long text' }], enough: 4 })],
    ports,
    script: { answer },
  },
  {
    name: 'pass',
    kinds: KINDS,
    programs: [program('pass', 'sums', { topic: 'event', ledger: 'sums', dispatch: 'flow:inner' }), inner],
    ports,
    script: {
      answer,
      messages: [
        { topic: 'event', body: { amount: 3 } },
        { topic: 'event', body: { amount: 4, dispatch: true } },
        { topic: 'other', body: 1 },
        { topic: 'event', body: { amount: 5 } },
        { topic: 'event', body: { stop: true } },
      ],
    },
    calling: (callee) => ({ topic: 'event', ledger: 'sums', dispatch: callee }),
  },
  PLAN,
  {
    name: 'beat',
    kinds: KINDS,
    times: ['began'],
    programs: [program('beat', 'tree', { leaves: 7, changing: 3, everyMs: 50, ticks: 5, restEvery: 3 })],
    calling: (callee) => ({ leaves: 7, changing: 3, everyMs: 50, ticks: 4, restEvery: 2, calls: callee }),
  },
  {
    name: 'net',
    kinds: KINDS,
    programs: [program('net', 'sums', { topic: 'event', nodes: 10, calls: 'flow:inner' }), inner],
    ports,
    script: {
      answer,
      messages: [
        ...[3, 4, 5].map((amount) => ({ topic: 'event', body: { amount } })),
        { topic: 'event', body: { amount: 6, dispatch: true } },
        ...[7, 8].map((amount) => ({ topic: 'event', body: { amount } })),
        { topic: 'event', body: { stop: true } },
        { topic: 'event', body: { amount: 9 } },
      ],
    },
    calling: (callee) => ({ topic: 'event', nodes: 10, calls: callee }),
  },
  {
    name: 'talk',
    kinds: KINDS,
    programs: [
      program('talk', 'session', { programs: ['flow:inner', 'plan:pays'] }),
      inner,
      program('plan', 'pays', { steps: [{ pay: 5 }] }),
    ],
    ports,
    script: { answer, drive: driveSessions },
    calling: (callee) => ({ programs: [callee] }),
  },
  {
    name: 'share',
    kinds: KINDS,
    programs: [program('share', 'claim', { ledger: 'shared' })],
    args: 'otter',
    ports,
  },
  {
    name: 'beat, sealed',
    kinds: sealing(3),
    programs: [program('beat', 'tree', { leaves: 7, changing: 3, everyMs: 50, ticks: 12 })],
  },
  {
    name: 'net, sealed',
    kinds: sealing(4),
    programs: [program('net', 'sums', { topic: 'event', nodes: 10 })],
    script: {
      messages: [
        ...[3, 4, 5, 6, 7, 8, 9].map((amount) => ({ topic: 'event', body: { amount } })),
        { topic: 'event', body: { stop: true } },
      ],
    },
  },
  { name: 'keep', kinds: KINDS, programs: [program('keep', 'keeper', { ticks: 6, everyMs: 50 })], ports, script: { answer } },
  { ...PLAN, name: 'plan, sealed', kinds: sealing(2) },
  {
    name: 'session, driven from outside',
    kinds: KINDS,
    programs: [program('plan', 'session', { steps: [], session: true })],
    ports,
    script: { drive },
  },
]
