import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../../../src/index.ts'

/** A pipeline in a file that needs a right which the operator wants to be asked about. */
async function asked(body: string): Promise<{ reflex: Reflex; handle: Awaited<ReturnType<Reflex['run']>> }> {
  const workdir = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-permission-')))
  onTestFinished(() => rmSync(workdir, { recursive: true, force: true }))
  writeFileSync(join(workdir, 'a.dot'), `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${body} }`)
  writeFileSync(join(workdir, 'in.txt'), 'hello')
  const reflex = new Reflex({
    workdir,
    store: 'memory:',
    policy: [{ allow: [], deny: [], ask: ['arbor://fs/read/{work}/in.txt'], file: 'p' }],
  })
  onTestFinished(() => reflex.close())
  return { reflex, handle: await reflex.run(join(workdir, 'a.dot')) }
}

const READ = 'a [type=read, source=file, path="in.txt", output_key=said]'

test('what a person allows counts at once, in the process that asked', async () => {
  const { handle } = await asked(`${READ} start -> a -> done`)
  const [question] = handle.questions
  expect(question).toMatchObject({ name: 'permission' })
  if (question !== undefined) await handle.answer(question, 'allow')
  await handle.idle()
  expect([handle.status, handle.run.state.root.reader().get('said')]).toEqual(['completed', 'hello'])
})

test('a node that is called like the question is no question of Reflex, and its answer allows nothing', async () => {
  const { handle } = await asked(`permission [shape=hexagon] ${READ} start -> permission permission -> a [label="allow"] a -> done`)
  const [own] = handle.questions
  expect(own).toMatchObject({ name: 'permission' })
  if (own !== undefined) await handle.answer(own, 'allow')
  await handle.idle()
  expect(handle.questions.map(({ name }) => name)).toEqual(['permission'])
})
