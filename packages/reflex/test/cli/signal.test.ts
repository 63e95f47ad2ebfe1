import { expect, test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reflex, workFolder } from './worlds.ts'

const DOT = `digraph p { graph [goal="g"]; start [shape=Mdiamond]; done [shape=Msquare];
  w [type="wait.signal", signal_topic="deploy.done"]; start -> w -> done }`

// proves: pipeline s6.5c
test('a run names the message that it waits for, and signal sends it', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), DOT)
  const begun = await reflex(['run', 'p.dot', '--id', 'otter'], { folder })
  expect(begun.code).toBe(75)
  expect(begun.err).toContain('waits for the message deploy.done')
  expect(begun.err).toContain('signal otter deploy.done')
  expect((await reflex(['runs'], { folder, columns: 100 })).out).toContain('the message deploy.done')
  const kept = await reflex(['signal', 'otter', 'other.topic', 'no', '--no-run'], { folder })
  expect({ code: kept.code, err: kept.err }).toMatchObject({ code: 0 })
  const sent = await reflex(['signal', 'otter', 'deploy.done', ':={"version":"1.4.0"}'], { folder })
  expect(sent.code).toBe(0)
  expect((await reflex(['signal', 'otter', 'deploy.done'], { folder })).err).toContain('R2001')
})
