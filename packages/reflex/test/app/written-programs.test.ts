import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex, type ReflexOptions } from '../../src/index.ts'
import type { Fault, JsonObject } from '../../src/kernel/index.ts'
import { defineTool } from '../../src/tools/index.ts'
import { type ScriptedReply, scriptedModel } from '../../src/models/index.ts'
import { noSandbox } from '../tools/workshop.ts'
import { newFolder, workflow } from './folders.ts'

/** Programs that runs wrote from a model's text have the lowest trust, for whoever loads them, until a person changes or accepts them. */

const missing = await noSandbox()

const pipeline = (nodes: string, path: string): string =>
  `digraph p { start [shape=Mdiamond] done [shape=Msquare] ${nodes} start -> ${path} -> done }`

/** Writes a file into the work folder: what an untrusted program may not. */
const WRITES = pipeline(
  'k [type=transform, transform=constant, expression="mine, all of it", output_key=k] f [type="file.write", content_key=k, output="taken.txt"]',
  'k -> f',
)
const asks = (file: string): string =>
  pipeline(`m [prompt="write a program"] f [type="file.write", content_key=last_response, output="${file}"]`, 'm -> f')
const calls = (program: string): string => pipeline(`c [type="graph.invoke", ${program}]`, 'c')
const writer = (id: string): string =>
  JSON.stringify(
    workflow(id, { w: { tool: 'file.write', args: { path: 'taken.txt', text: 'mine', in: 'work' } }, end: {} }, [['next', 'w', 'end']]),
  )

interface World {
  readonly work: string
  readonly troubles: Fault[]
  readonly live: (options?: ReflexOptions) => Reflex
  readonly run: (
    file: string,
    options?: Parameters<Reflex['run']>[1],
  ) => Promise<{ readonly id: string; readonly status: string; readonly story: string }>
  readonly took: () => boolean
}

/** A work folder, and processes one after another over its store, whose model gives these replies. */
function world(files: Readonly<Record<string, string>>, ...replies: readonly ScriptedReply[]): World {
  const work = newFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text)
  const left = [...replies]
  const troubles: Fault[] = []
  const live = (options: ReflexOptions = {}): Reflex => {
    const reflex = new Reflex({
      workdir: work,
      store: join(work, '.reflex/reflex.db'),
      models: { said: scriptedModel(() => left.shift() ?? 'done') },
      model: 'said',
      onTrouble: (fault) => void troubles.push(fault),
      ...options,
    })
    onTestFinished(() => reflex.close())
    return reflex
  }
  mkdirSync(join(work, '.reflex'))
  return {
    work,
    troubles,
    live,
    took: () => existsSync(join(work, 'taken.txt')),
    async run(file, options) {
      const reflex = live()
      const handle = await reflex.run(join(work, file), options)
      const { records } = await reflex.runtime.history(handle.id)
      await reflex.close()
      return { id: handle.id, status: handle.status, story: JSON.stringify(records) }
    },
  }
}

test('a program that a model wrote runs untrusted, and says so, in another process', async () => {
  const { run, took, troubles } = world({ 'attack.dot': asks('made.dot') }, WRITES)
  const { id } = await run('attack.dot')
  expect((await run('made.dot')).story).toContain('this run is untrusted')
  expect(took()).toBe(false)
  expect(troubles.map(({ code, message }) => [code, message.includes(id)])).toEqual([['R1096', true]])
})

test('a person names a level for it, or changes it: then it is theirs', async () => {
  const { run, took, work, troubles } = world({ 'attack.dot': asks('made.dot') }, WRITES, WRITES)
  await run('attack.dot')
  expect((await run('made.dot', { trust: 'probationary' })).status).toBe('completed')
  expect(took()).toBe(true)
  writeFileSync(join(work, 'made.dot'), `// read and found good\n${readFileSync(join(work, 'made.dot'), 'utf8')}`)
  expect((await run('made.dot')).status).toBe('completed')
  expect(troubles.map(({ code }) => code)).not.toContain('R1096')
  await run('attack.dot')
  expect((await run('made.dot')).story).toContain('this run is untrusted')
})

test.each([
  ['a formatter', (text: string) => text.replaceAll(' ', '\n  ').replaceAll(']', '];')],
  ['git with other ends of lines', (text: string) => `\ufeff${text}\n`.replaceAll(' start', '\r\nstart')],
])('a program of a model stays one in the form that %s gives it', async (_, form) => {
  const { run, took, work } = world({ 'attack.dot': asks('made.dot') }, WRITES)
  await run('attack.dot')
  writeFileSync(join(work, 'made.dot'), form(readFileSync(join(work, 'made.dot'), 'utf8')))
  expect((await run('made.dot')).story).toContain('this run is untrusted')
  expect(took()).toBe(false)
})

test('a program that an author wrote through a run stays the author’s', async () => {
  const nodes = `k [type=transform, transform=constant, expression="${WRITES.replaceAll('"', '\\"')}", output_key=k] f [type="file.write", content_key=k, output="made.dot"]`
  const { run, took } = world({ 'build.dot': pipeline(nodes, 'k -> f') })
  expect((await run('build.dot')).status).toBe('completed')
  expect((await run('made.dot')).status).toBe('completed')
  expect(took()).toBe(true)
})

test.each([
  ['a pipeline calls a pipeline', 'made.dot', WRITES, 'main.dot', calls('graph_file="made.dot"')],
  ['a pipeline calls a workflow', 'made.workflow.json', writer('made'), 'main.dot', calls('program="workflow:made"')],
  [
    'a workflow calls a workflow',
    'made.workflow.json',
    writer('made'),
    'main.workflow.json',
    JSON.stringify(workflow('main', { c: { invokes: { workflowId: 'made', returnMap: [] } } }, [])),
  ],
])('%s that a model wrote: it has the lowest trust, also after a resume', async (_, made, text, main, caller) => {
  const { run, live, took } = world({ 'attack.dot': asks(made), [main]: caller }, text)
  await run('attack.dot')
  const { id, story } = await run(main, { trust: 'trusted' })
  expect(story).toContain('this run is untrusted')
  const again = live()
  const { row } = await again.trace(id)
  if (row.status !== 'failed') await (await again.resume(id)).idle()
  expect(took()).toBe(false)
})

test('a module that a model wrote is not imported, unless a person trusts it', async () => {
  const text = `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('./taken.txt', import.meta.url), '')\nexport const w = ${writer('made')}\n`
  const { run, took, work } = world({ 'attack.dot': asks('made.workflow.mjs') }, text)
  await run('attack.dot')
  await expect(run('made.workflow.mjs')).rejects.toMatchObject({ code: 'R1097' })
  await expect(run('made.workflow.mjs', { trust: 'probationary' })).rejects.toMatchObject({ code: 'R1097' })
  await expect(run('attack.dot', { tools: [join(work, 'made.workflow.mjs')] })).rejects.toMatchObject({ code: 'R1097' })
  expect(took()).toBe(false)
  expect((await run('made.workflow.mjs', { trust: 'trusted' })).status).toBe('completed')
  expect(took()).toBe(true)
})

test.each([
  ['checkpoint', 'made.json', '{"current_node": "k", "context": {}}', (file: string) => ({ pipeline: { resumeFrom: file } })],
  ['recording', 'made.jsonl', '{"label": "m", "reply": {"text": "mine"}, "by": "hand"}\n', (file: string) => ({ recorded: file })],
])('a %s that a model wrote is refused before a run begins, unless a person trusts or changes it', async (_, made, text, options) => {
  const { run, live, work } = world({ 'attack.dot': asks(made), 'main.dot': WRITES }, text)
  await run('attack.dot')
  const file = join(work, made)
  const given = options(file)
  const before = (await live().runs()).length
  for (const more of [given, { ...given, trust: 'probationary' as const }])
    await expect(run('main.dot', more)).rejects.toMatchObject({ code: 'R1097', file })
  expect(await live().runs()).toHaveLength(before)
  const codeOf = async (more: object): Promise<string | undefined> => {
    try {
      await run('main.dot', more)
      return undefined
    } catch (thrown) {
      return (thrown as Fault).code
    }
  }
  expect(await codeOf({ ...given, trust: 'trusted' })).not.toBe('R1097')
  writeFileSync(file, `${text}mine`)
  expect(await codeOf(given)).not.toBe('R1097')
})

test('what a failed or idle write leaves as it was stays the author’s', async () => {
  const same = pipeline('m [prompt="say"] f [type="file.write", content_key=last_response, output="good.dot"]', 'm -> f')
  const { run, took } = world({ 'attack.dot': same, 'good.dot': WRITES }, WRITES)
  await run('attack.dot')
  expect((await run('good.dot')).status).toBe('completed')
  expect(took()).toBe(true)
})

test.skipIf(missing !== undefined)(
  'a text file that a command wrote is no program of a person’s, under its own name or a later one',
  async () => {
    const made = pipeline(
      'm [prompt="say"] c [type=shell, command="printf %s \\"$last_response\\" > notes.txt", context_keys=last_response]',
      'm -> c',
    )
    const moves = pipeline('c [type=shell, command="mv *.txt inner.dot"]', 'c')
    const { run, took } = world({ 'attack.dot': made, 'moves.dot': moves }, WRITES)
    await run('attack.dot')
    expect((await run('notes.txt', { kind: 'pipeline' })).story).toContain('this run is untrusted')
    expect((await run('moves.dot')).status).toBe('completed')
    expect((await run('inner.dot')).story).toContain('this run is untrusted')
    expect(took()).toBe(false)
  },
)

test('what Reflex writes for a model in a folder of logs is no program of a person’s', async () => {
  const { run, took, work } = world({ 'attack.dot': pipeline('m [prompt="say"]', 'm') }, WRITES)
  expect((await run('attack.dot', { pipeline: { logs: join(work, 'out') } })).status).toBe('completed')
  const said = readdirSync(join(work, 'out'), { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('response.md')) ?? ''
  expect((await run(join('out', said), { kind: 'pipeline' })).story).toContain('this run is untrusted')
  expect(took()).toBe(false)
})

test.skipIf(missing !== undefined)('a text that a command hides in a repository comes back with its label', async () => {
  const work = 'k [type=transform, transform=constant, expression=1, output_key=k]'
  const first = pipeline(
    `r [type=read, source=file, path="secret.txt", output_key=s]
     c [type=shell, command="printf %s \\"$s\\" > n.txt; git tag kept $(git hash-object -w n.txt); rm n.txt", context_keys=s]`,
    'r -> c',
  )
  const second = pipeline(
    `c [type=shell, command="git cat-file -p kept > x.txt"] b [type=read, source=file, path="x.txt", output_key=back] a [type="pipeline.run", source_key=back]`,
    'c -> b -> a',
  )
  const { run, work: folder } = world({ 'first.dot': first, 'second.dot': second, 'secret.txt': pipeline(work, 'k') })
  execFileSync('git', ['init', '-q', folder])
  expect((await run('first.dot')).status).toBe('completed')
  expect((await run('second.dot')).story).toContain('it would decide what runs')
})

test('a program of a command that has not ended, as after a crash, is untrusted for other processes', async () => {
  const main = workflow(
    'main',
    { r: { prompt: 'Write a program.', writes: 'text' }, w: { tool: 'generate', args: { text: { from: 'text' } } }, end: {} },
    [
      ['next', 'r', 'w'],
      ['done', 'w', 'end'],
    ],
  )
  const { work, live, run, took } = world({ 'main.workflow.json': JSON.stringify(main) }, WRITES)
  let meanwhile = ''
  const generate = defineTool({
    name: 'generate',
    description: 'writes a program, and is not done yet',
    leaves: true,
    repeat: 'ask',
    async run({ text }: JsonObject) {
      writeFileSync(join(work, 'inner.dot'), `${JSON.parse(JSON.stringify(text)) as string}\n`)
      meanwhile = (await run('inner.dot')).story
      return {}
    },
  })
  const handle = await live({ tools: [generate] }).run(join(work, 'main.workflow.json'))
  expect(handle.status).toBe('completed')
  expect(meanwhile).toContain('this run is untrusted')
  expect((await run('inner.dot')).story).toContain('this run is untrusted')
  expect(took()).toBe(false)
})

const says = (version: string | undefined, said: string): string =>
  JSON.stringify({
    ...workflow('review', { c: { writes: { out: said } } }, []),
    ...(version === undefined ? {} : { version }),
  })

test.each([
  [
    'a higher version of it',
    'review.workflow.json',
    'other.workflow.json',
    says('1', 'the word of the user'),
    says('9', 'the word of a model'),
  ],
  [
    'a file of its name',
    'reviews.workflow.json',
    'review.workflow.json',
    says(undefined, 'the word of the user'),
    says(undefined, 'the word of a model'),
  ],
])('a program of the user is called by its name, although a run has written %s', async (_, own, made, text, shadow) => {
  const invokes = { workflowId: 'review', returnMap: [{ parentKey: 'verdict', childKey: 'out' }] }
  const main = JSON.stringify(workflow('main', { c: { invokes } }, []))
  const { run } = world({ 'attack.dot': asks(made), 'main.workflow.json': main, [own]: text }, shadow)
  await run('attack.dot')
  const { story } = await run('main.workflow.json')
  expect(story).toContain('the word of the user')
  expect(story).not.toContain('the word of a model')
})

test('a program that a run under an outer store wrote is untrusted under the store of an inner folder, too', async () => {
  const { work, run, live, troubles } = world({ 'attack.dot': asks('sub/made.dot') }, WRITES)
  const sub = join(work, 'sub')
  mkdirSync(join(sub, '.reflex'), { recursive: true })
  await run('attack.dot')
  const inner = live({ workdir: sub, store: join(sub, '.reflex/reflex.db') })
  const handle = await inner.run(join(sub, 'made.dot'))
  expect(existsSync(join(sub, 'taken.txt'))).toBe(false)
  expect([handle.status, troubles.map(({ code }) => code)]).toEqual(['failed', ['R1096']])
})
