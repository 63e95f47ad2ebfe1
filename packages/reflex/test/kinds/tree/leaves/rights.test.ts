import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Reflex, type ReflexOptions } from '../../../../src/index.ts'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type ScriptedReply, scriptedModel } from '../../../../src/models/index.ts'
import { defineTool } from '../../../../src/tools/index.ts'
import { newFolder } from '../../../app/folders.ts'
import { n } from '../tick/tree-world.ts'

/** Permissions, budgets and trust hold for the effects of trees as for those of every kind; all of it through the front door. */

interface World {
  readonly work: string
  readonly looked: string[]
  readonly reflex: Reflex
}

/** A work folder with a tool `look`, and a model that gives these replies. */
function world(options: ReflexOptions = {}, ...replies: readonly ScriptedReply[]): World {
  const work = newFolder()
  const looked: string[] = []
  const left = [...replies]
  const look = defineTool({
    name: 'look',
    description: 'looks something up',
    leaves: true,
    repeat: 'ask',
    run: (args: unknown) => (looked.push(JSON.stringify(args)), 'found'),
  })
  const reflex = new Reflex({
    workdir: work,
    store: join(work, 'reflex.db'),
    tools: [look],
    models: { said: scriptedModel(() => left.shift() ?? 'done') },
    model: 'said',
    ...options,
  })
  onTestFinished(() => reflex.close())
  return { work, looked, reflex }
}

function put(work: string, id: string, root: NodeSource, board: JsonObject = {}): string {
  const file = join(work, `${id}.tree.json`)
  writeFileSync(file, JSON.stringify({ format: 1, id, board: { found: {}, text: {}, ...board }, root }))
  return file
}

const LOOK = n('tool', { id: 'look', tool: 'look', args: { q: 1 }, output: 'found' })
const ELSE = n('selector', { id: 'any' }, [LOOK, n('set', { id: 'else', key: 'text', value: 'without' })])
const call = (id: string): NodeSource => n('llm_call', { id, prompt: `what is ${id}?`, response_key: 'text' })
const rules = (allow: readonly string[], deny: readonly string[] = [], ask: readonly string[] = []): ReflexOptions => ({
  policy: [{ file: 'the operator', allow, deny, ...(ask.length === 0 ? {} : { ask }) }],
})

describe('permissions', () => {
  test('a tool that a rule denies is not called, and the tree reacts', async () => {
    const { work, looked, reflex } = world(rules([], ['arbor://tool/look']))
    const run = await reflex.run(put(work, 'main', ELSE))
    expect([run.status, looked, run.get('text')]).toEqual(['completed', [], 'without'])
    expect((await reflex.replay(run.id)).result).toBe('equal')
  })

  test.each([
    [true, 'found', ['{"q":1}']],
    [false, undefined, []],
  ])('a tool that a rule asks about waits for a person, who says %s', async (answer, found, calls) => {
    const { work, looked, reflex } = world(rules([], [], ['arbor://tool/look']))
    const run = await reflex.run(put(work, 'main', ELSE))
    const [question] = run.questions
    expect([run.status, looked, question?.asker, question?.path]).toEqual(['suspended', [], 'permission', 'look'])
    await run.answer(question as never, answer ? 'allow' : 'deny')
    await run.idle()
    expect([run.status, run.get('found'), looked]).toEqual(['completed', found, calls])
    expect((await reflex.replay(run.id)).result).toBe('equal')
  })

  test('an untrusted run writes no file', async () => {
    const { work, reflex } = world()
    const write = n('tool', { id: 'w', tool: 'file.write', args: { path: 'taken.txt', text: 'mine', in: 'work' }, output: 'found' })
    const root = n('selector', { id: 'any' }, [write, n('set', { id: 'else', key: 'text', value: 'without' })])
    const run = await reflex.run(put(work, 'main', root), { trust: 'untrusted' })
    expect([run.status, existsSync(join(work, 'taken.txt')), run.get('text')]).toEqual(['completed', false, 'without'])
  })
})

describe('budgets', () => {
  const two = n('sequence', { id: 'all' }, [call('one'), call('two')])
  const reply: ScriptedReply = { text: 'hi', usage: { input: 60, output: 60 } }

  test.each([
    ['tokens', { tokens: 100 }, { tokens: 1000 }],
    ['steps', { steps: 1 }, { steps: 10 }],
    ['cost', { cost: 0.01 }, { cost: 10 }],
  ])('a budget of %s stops a tree before the call that would exceed it, and a person raises it', async (_, limits, raised) => {
    const { work, reflex } = world({ prices: { said: { input: 100, output: 100 } } }, reply, reply)
    const run = await reflex.run(put(work, 'main', two), { limits })
    expect([run.status, run.questions.map(({ asker, path }) => [asker, path])]).toEqual(['suspended', [['budget', 'two']]])
    await run.answer(run.questions[0] as never, raised)
    await run.idle()
    expect(run.status).toBe('completed')
    expect((await reflex.replay(run.id)).result).toBe('equal')
  })
})

describe('values and texts of models', () => {
  test('a value of the blackboard never becomes part of a text that only an author writes', async () => {
    const { work, reflex } = world({}, 'x; touch pwned')
    const shell = (command: string, environment: Json): NodeSource =>
      n('tool', { id: 'sh', tool: 'shell', args: { command, environment }, output: 'found' })
    const root = n('sequence', { id: 'all' }, [
      call('ask'),
      n('selector', { id: 'any' }, [
        shell('echo ${bb.text.content}', {}),
        n('set', { id: 'refused', key: 'found', expression: 'bb._tool_error' }),
      ]),
    ])
    const run = await reflex.run(put(work, 'main', root))
    expect([run.status, existsSync(join(work, 'pwned'))]).toEqual(['completed', false])
    expect(run.get('found')).toContain('the argument command must not be a template')
  })

  const WRITES = JSON.stringify({
    format: 1,
    id: 'made',
    root: { type: 'tool', id: 'w', params: { tool: 'file.write', args: { path: 'taken.txt', text: 'mine, all of it', in: 'work' } } },
  })
  const make = n('sequence', { id: 'all' }, [
    call('ask'),
    n('tool', { id: 'w', tool: 'file.write', args: { path: 'made.tree.json', text: '${bb.text.content}', in: 'work' } }),
  ])

  test.each([
    ['runs alone', undefined, 'R1240'],
    ['is called by a tree', n('call', { id: 'c', program: 'made' }), 'R1240'],
    ['is part of a tree', n('subtree_ref', { id: 'c', tree_name: 'made' }), 'R1258'],
  ])('a tree that a model wrote through a tree has the lowest rights where it %s', async (_, root, code) => {
    const { work, reflex } = world({ onTrouble: () => undefined }, WRITES)
    expect((await reflex.run(put(work, 'maker', make))).status).toBe('completed')
    const file = root === undefined ? join(work, 'made.tree.json') : put(work, 'main', root)
    const refused = await reflex.run(file, root === undefined ? {} : { trust: 'trusted' })
    expect([refused.status, refused.failure?.code, existsSync(join(work, 'taken.txt'))]).toEqual(['failed', code, false])
    // Read and changed by a person, it is theirs.
    writeFileSync(join(work, 'made.tree.json'), `${WRITES.slice(0, -1)},"description":"read and found good by a person"}`)
    await reflex.close()
    const next = new Reflex({ workdir: work, store: join(work, 'reflex.db') })
    onTestFinished(() => next.close())
    const good = await next.run(file)
    expect([good.status, existsSync(join(work, 'taken.txt'))]).toEqual(['completed', true])
  })
})
