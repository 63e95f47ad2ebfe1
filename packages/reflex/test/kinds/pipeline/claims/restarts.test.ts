import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../../../src/kinds/pipeline/index.ts'
import { noSandbox } from '../../../tools/workshop.ts'
import { countsOf } from '../../../counts.ts'
import { runDot } from '../engine/harness.ts'
import { dataIn, folder } from '../folders.ts'
import { play, toldOf, writes } from './play.ts'

const missing = await noSandbox()
const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const ok = writes({})
const letters = (n: number): string => String(n).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))
const failsWith = (reason: (time: number) => string) => {
  let times = 0
  return () => ({ status: 'fail', failure_reason: reason(++times) })
}

const graph = (body: string): string => `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${body} }`
const model = {
  leaves: false,
  repeat: 'free',
  perform: () => ({ text: 'said', model: 'm', finish: 'stop', usage: { input: 1, output: 1 } }),
} as const

describe('restarts', () => {
  const body = `a [type=other] mend [type=ok] start -> a a -> mend [condition="outcome=fail"] a -> done [condition="outcome=success"]
    mend -> a [loop_restart=true, condition="context.never!=1"]`

  // proves: pipeline 3.8d
  test('end the run after three with the same failure, although another stage has succeeded behind it', async () => {
    const same = await play(body, { handlers: { ok, other: failsWith((n) => `error ${n}: cannot connect`) }, max_steps: 60 })
    expect([same.failure_reason, toldOf(same, 'loop_restart').length]).toEqual(['failure_loop_detected: error 4: cannot connect', 3])
    const others = await play(body, { handlers: { ok, other: failsWith((n) => `cannot do ${letters(n)}`) }, max_steps: 60 })
    expect([others.failure_reason, toldOf(others, 'loop_restart').length]).toEqual(['max_steps_exceeded', 29])
  })

  test('begin the count again with a lap in which nothing failed, and with a failure that was mended', async () => {
    let times = 0
    const now = () => (++times % 3 === 0 ? { status: 'success' } : { status: 'fail', failure_reason: 'the same' })
    const again = body.replace('a -> done [condition="outcome=success"]', 'a -> a [condition="outcome=success", loop_restart=true]')
    expect((await play(again, { handlers: { ok, other: now }, max_steps: 60 })).failure_reason).toBe('max_steps_exceeded')
    const mended = body.replace('mend -> a [loop', 'mend -> b b [type=often] b -> b [label=fail] b -> a [loop')
    let tries = 0
    const often = () => (++tries % 2 === 1 ? { status: 'fail', failure_reason: 'the same' } : { status: 'success' })
    expect((await play(mended, { handlers: { ok, other: ok, often }, max_steps: 60 })).failure_reason).toBeNull()
  })

  // proves: pipeline 3.8f
  test('keep the count of jumps', async () => {
    const jumps = `x [type=ok] a [type=other, retry_target=x] start -> x -> a a -> x [loop_restart=true]`
    let times = 0
    const other = () => (++times % 10 === 0 ? { status: 'success' } : { status: 'fail', failure_reason: letters(times) })
    const went = await play(`${jumps} a -> done [condition="context.never=1"]`, { handlers: { ok, other } })
    expect([went.failure_reason, toldOf(went, 'failure_routed').length]).toEqual(['a went back to x 100 times', 100])
    expect(toldOf(went, 'loop_restart').length).toBe(11)
  })

  test('cost the same each: a lap keeps neither the files nor the notes of those before it', async () => {
    const logs_root = join(folder(), 'logs')
    const noted = () => ({ status: 'success', notes: 'x'.repeat(100) })
    const dot = `n [type=transform, transform=increment, source_key=n, output_key=n] note [type=noted]
      start -> n -> note note -> n [loop_restart=true, condition="context.n<60"] note -> done [condition="context.n>=60"]`
    const counts = await countsOf('kinds/pipeline/folder/image.ts', async () => void (await play(dot, { logs_root, handlers: { noted } })))
    // One folder is asked at each batch of records and two at a restart; all folders of all laps would be some 5,000.
    expect(counts.get('changes')).toBeLessThan(600)
    expect(dataIn(`${logs_root}-v60`, 'checkpoint.json')['logs']).toMatchObject([{ node_id: 'note' }, { node_id: 'done' }])
    expect(dataIn(`${logs_root}-v30`, 'checkpoint.json')['logs']).toHaveLength(1)
    const keysAfter = async (laps: number): Promise<number> =>
      (await runDot(graph(dot.replaceAll('60', String(laps)).replace('type=noted', 'prompt=x')), { ports: { model } })).run.state.root
        .kindReader()
        .keys().length
    expect(await keysAfter(30)).toBe(await keysAfter(3))
  })
})

describe.each([
  ['in the sandbox', 'strict', missing],
  ['without a sandbox', 'none', undefined],
])('the folder of a stage %s', (_, sandbox, skipped) => {
  test.skipIf(skipped !== undefined)('lies in the folder of its lap', async () => {
    const workdir = folder()
    const logs_root = join(workdir, 'logs')
    const command = JSON.stringify(
      `echo here > $ARBOR_STAGE_DIR/note; echo '{"status":"success"}' > $ARBOR_STAGE_DIR/status.json; printf %s $ARBOR_STAGE_DIR; exit 1`,
    )
    const went = await run(
      `digraph g { start [shape=Mdiamond] done [shape=Msquare]
       n [type=transform, transform=increment, source_key=n, output_key=n] sh [type=shell, command=${command}, sandbox=${sandbox}]
       start -> n -> sh sh -> n [loop_restart=true, condition="context.n<2"] sh -> done [condition="context.n>=2"] }`,
      { workdir, logs_root, env: ENV, trust: 'autonomous', validate: false },
    )
    expect([went.failure_reason, went.context['shell.sh.output']]).toEqual([null, `${logs_root}-v2/sh`])
    expect([`${logs_root}-v2`, logs_root].map((lap) => readFileSync(join(lap, 'sh', 'note'), 'utf8'))).toEqual(['here\n', 'here\n'])
    expect(existsSync(`${logs_root}-v3`)).toBe(false)
  })
})
