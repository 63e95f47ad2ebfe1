import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'
import { folder } from '../folders.ts'
import { play, toldOf } from './play.ts'

const FAILS = 'a [prompt=x, simulate=fail] start -> a -> done'
const refuses = () => {
  throw new Error('401 unauthorised')
}

test('the failure of a stage has a code: its own, or that of the effect that failed, with its node', async () => {
  const own = await play(FAILS)
  expect(own.fault).toMatchObject({ code: 'R2201', path: 'a', data: { stage: { node: 'a', code: 'R2210', message: own.failure_reason } } })
  expect(toldOf(own, 'stage_failed')).toMatchObject([{ node_id: 'a', code: 'R2210' }])
  const effect = await play('a [type=other] start -> a -> done', { handlers: { other: refuses } })
  expect(effect.fault).toMatchObject({ data: { stage: { node: 'a', code: 'R2208' } } })
  const led = await play('a [type=other] start -> a a -> done [condition="outcome=fail"]', { handlers: { other: refuses } })
  expect([led.fault, toldOf(led, 'stage_failed')]).toMatchObject([null, [{ node_id: 'a', code: 'R2208' }]])
  const bound = await play('a [type=branch] start -> a a -> a [condition="context.never!=1"] a -> done', { max_steps: 3 })
  expect(bound.fault).not.toHaveProperty('data.stage')
})

test('a trace has the code, the place and the fix of a failed stage', async () => {
  const workdir = folder()
  writeFileSync(join(workdir, 'g.dot'), `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${FAILS} }`)
  const reflex = new Reflex({ workdir, store: join(workdir, '.reflex/reflex.db') })
  onTestFinished(() => reflex.close())
  const handle = await reflex.run(join(workdir, 'g.dot'), { id: 'otter', pipeline: { validate: false } })
  expect(handle.failure).toMatchObject({ code: 'R2201' })
  const { lines } = await reflex.trace('otter')
  const told = lines.flatMap(({ event }) => (event.mark === 'fail' ? [event.facts?.['fault']] : []))
  expect(told[0]).toMatchObject({ code: 'R2210', path: 'a', fix: expect.stringContaining('retry_target') as unknown })
})
