import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/kernel/index.ts'
import { SubtreeNotFoundError, TreeInUseError, TreeLoadError, TreeNotFoundError } from '../../../../src/kinds/tree/board/errors.ts'
import { TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { SUCCESS } from '../../../../src/kinds/tree/manifest/behaviour.ts'
import { defineNode } from '../../../../src/kinds/tree/manifest/manifest.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { EventBus } from '../../../../src/kinds/tree/seed/event-bus.ts'
import type { BusEvent } from '../../../../src/kinds/tree/seed/tree-event.ts'
import type { TreeFiles } from '../../../../src/kinds/tree/seed/tree-files.ts'
import { TreeLoader } from '../../../../src/kinds/tree/seed/tree-loader.ts'
import { type RegistryOptions, TreeRegistry } from '../../../../src/kinds/tree/seed/tree-registry.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { n } from '../tick/tree-world.ts'
import { answers } from './seed-world.ts'

const ref = (name: string, lazy = false): NodeSource => ({
  type: 'subtree_ref',
  id: 'ref',
  line: 7,
  params: { tree_name: name, ...(lazy ? { lazy } : {}) },
})
const leaf = (fn = 'ok', id = 'leaf'): NodeSource => n('action', { id, fn })

/** A folder in memory that counts each access by path. */
class Folder implements TreeFiles {
  readonly texts = new Map<string, string>()
  readonly links = new Map<string, string>()
  readonly touched: string[] = []
  onChange: ((path: string) => void) | undefined

  write(name: string, root: NodeSource, more: Partial<TreeSource> = {}): void {
    this.texts.set(`/trees/${name}.tree.json`, JSON.stringify({ format: 1, id: name, root, ...more }))
  }
  read(path: string): string | undefined {
    this.touched.push(path)
    return this.texts.get(path)
  }
  realPath(path: string): string | undefined {
    this.touched.push(path)
    if (path === '/trees' || this.texts.has(path)) return path
    return this.links.get(path)
  }
  list(): readonly string[] {
    return [...this.texts.keys()].toSorted()
  }
  watch(_: string, onChange: (path: string) => void): () => void {
    this.onChange = onChange
    return () => {
      this.onChange = undefined
    }
  }
}

function shelf(more: Partial<RegistryOptions> = {}) {
  const files = new Folder()
  const clock = virtualHost({ seed: 5 })
  const events = new EventBus({ clock })
  const seen: BusEvent[] = []
  events.subscribeAll((event) => seen.push(event))
  const globals = new TypedBlackboard(undefined, 'global')
  const functions = { ok: answers('S'), busy: () => new Promise<'SUCCESS'>(() => undefined) }
  const registry = new TreeRegistry('/trees', { files, clock, events, globals, functions, ...more })
  return { files, clock, registry, globals, events, seen, types: () => seen.map(({ type }) => type) }
}

async function refusal(work: Promise<unknown>): Promise<Fault> {
  return work.then(
    () => {
      throw new Error('it was accepted')
    },
    (thrown: unknown) => thrown as Fault,
  )
}

describe('loading', () => {
  // proves: tree 10, tree UB-02
  test('a reference to an unknown tree names it, its place and the known trees', async () => {
    const { files, registry } = shelf()
    files.write('other', leaf())
    files.write('main', ref('nowhere'))
    await registry.load('other.tree.json')
    const error = await refusal(registry.load('main.tree.json'))
    expect(error).toBeInstanceOf(SubtreeNotFoundError)
    expect([error.rule, error.message]).toEqual(['E4004', expect.stringMatching(/nowhere.*main\.tree\.json:7.*other/)])
    expect(registry.listTrees()).toEqual(['other'])
  })

  // proves: tree 11
  test('a lazy reference loads, fails while its tree is missing, and finds it later', async () => {
    const { files, registry } = shelf()
    files.write('main', ref('later', true))
    const tree = await registry.load('main.tree.json')
    expect([tree.tick().status, tree.tick().failure_trace?.at(-1)?.['error_code']]).toEqual(['FAILURE', 'E3001'])
    files.write('later', leaf())
    await registry.load('later.tree.json')
    expect(tree.tick().status).toBe('SUCCESS')
  })

  // proves: tree 12
  test('trees that refer to one another are refused, in every order', async () => {
    for (const first of ['a', 'b']) {
      const { files, registry } = shelf()
      files.write('a', ref('b'))
      files.write('b', ref('a'))
      const error = await refusal(registry.load(`${first}.tree.json`))
      const path = first === 'a' ? 'a → b → a' : 'b → a → b'
      expect([error.rule, error.message]).toEqual(['E3002', expect.stringContaining(path)])
      expect((await registry.loadAll()).map(({ error: { rule } }) => rule)).toEqual(['E3002', 'E3002'])
      expect(registry.listTrees()).toEqual([])
    }
  })

  // proves: tree 13
  test('a tree that refers to itself is refused, and fails at run time if it does so lazily', async () => {
    const { files, registry } = shelf()
    files.write('self', ref('self'))
    expect((await refusal(registry.load('self.tree.json'))).rule).toBe('E3002')
    files.write('self', ref('self', true))
    const tree = await registry.load('self.tree.json')
    expect(tree.tick().failure_trace?.some(({ error_code }) => error_code === 'E3002')).toBe(true)
  })

  // proves: tree 14
  test('a name that is nearly right gets a hint', async () => {
    const { files, registry } = shelf()
    files.write('research', leaf())
    files.write('main', ref('reserch'))
    await registry.load('research.tree.json')
    expect((await refusal(registry.load('main.tree.json'))).message).toMatch(/did you mean "research".*Known trees/)
  })

  test('all files are read before any is built, and a broken one does not stop the others', async () => {
    const { files, registry } = shelf()
    files.write('a', ref('z'))
    files.write('z', leaf())
    files.texts.set('/trees/broken.tree.json', '{ "id": ')
    const refused = await registry.loadAll()
    expect([registry.listTrees().toSorted(), refused.map(({ path }) => path)]).toEqual([['a', 'z'], ['/trees/broken.tree.json']])
    expect(registry.get('a')?.tick().status).toBe('SUCCESS')
  })

  test('nothing is registered if a file of a reference is wrong, and a tree that refers to a refused one is refused', async () => {
    const { files, registry } = shelf()
    files.write('good', leaf())
    files.write('bad', leaf('unknown'))
    files.write(
      'main',
      n('sequence', { id: 's' }, [
        { ...ref('good'), id: 'one' },
        { ...ref('bad'), id: 'two' },
      ]),
    )
    expect((await refusal(registry.load('main.tree.json'))).rule).toBe('E4003')
    expect(registry.listTrees()).toEqual([])
    const refused = await registry.loadAll()
    expect(refused.map(({ path, error }) => [path, error.rule])).toEqual([
      ['/trees/bad.tree.json', 'E4003'],
      ['/trees/main.tree.json', 'E4004'],
    ])
    expect(registry.listTrees()).toEqual(['good'])
  })

  test('a lazy reference ticks the version that is registered when it begins', async () => {
    const { files, registry } = shelf({ functions: { ok: answers('S'), no: answers('F') } })
    files.write('inner', leaf('no'))
    files.write('main', ref('inner', true))
    expect(await registry.loadAll()).toEqual([])
    const main = registry.get('main')
    expect(main?.tick().status).toBe('FAILURE')
    files.write('inner', leaf('ok'))
    await registry.reload('inner')
    main?.reset()
    expect(main?.tick().status).toBe('SUCCESS')
  })

  test('a reload of a tree reloads those that refer to it', async () => {
    const { files, registry } = shelf({ functions: { ok: answers('S'), no: answers('F') } })
    files.write('inner', leaf('no'))
    files.write('main', ref('inner'))
    await registry.load('main.tree.json')
    files.write('inner', leaf('ok'))
    await registry.reload('inner')
    expect(registry.get('main')?.tick().status).toBe('SUCCESS')
  })

  test('files may have the types of nodes of the host', async () => {
    const greet = defineNode({
      type: 'greet',
      role: 'leaf',
      children: [0, 0],
      parameters: [],
      propagates: 'leaf',
      outcomes: () => ({ success: true, failure: false, running: false }),
      doc: 'Succeeds.',
      example: '',
      behaviour: { enter: () => SUCCESS },
    })
    const { files, registry } = shelf({ nodes: [greet] })
    files.write('main', n('greet', { id: 'hello' }))
    expect((await registry.load('main.tree.json')).tick().status).toBe('SUCCESS')
    files.write('other', n('gret', { id: 'hello' }))
    expect((await refusal(registry.load('other.tree.json'))).message).toMatch(/gret/)
  })

  test('unknown functions, wrong children, ids and endings are refused with their codes', async () => {
    const { files, registry } = shelf()
    files.write('fn', leaf('okk'))
    files.write('kids', n('inverter', { id: 'not' }))
    files.write('ids', n('sequence', { id: 's' }, [leaf('ok', 'x'), leaf('ok', 'x'), leaf('ok', '1')]))
    const rules = await Promise.all(['fn', 'kids', 'ids'].map(async (name) => (await refusal(registry.load(`${name}.tree.json`))).rule))
    expect(rules).toEqual(['E4003', 'E2006', 'E2005'])
    const missing = await refusal(registry.load('none.tree.json'))
    expect([missing.rule, missing instanceof TreeLoadError]).toEqual(['E4001', true])
    expect((await refusal(registry.load('notes.txt'))).rule).toBe('E4001')
  })
})

test('handlers whose order matters for the blackboard of a tree are a warning', async () => {
  const { files, registry, events, types } = shelf()
  files.write('main', leaf(), { board: { k: { type: 'int' } } })
  const tree = await registry.load('main.tree.json')
  events.subscribe('go', () => tree.blackboard.set('k', 1), { name: 'writer' })
  events.subscribe('go', () => void tree.blackboard.get('k'), { name: 'reader' })
  events.emit('go')
  expect(types()).toContain('handler.conflict.warning')
})

describe('names and paths', () => {
  // proves: tree 70, tree SEC-04
  test('a reference that is no name is refused before any file is touched', async () => {
    for (const name of ['../x', '/etc/passwd', 'a/b', 'a\\b', '..', 'a.b', '1abc', '', 'a\0b']) {
      const { files, registry, types } = shelf()
      files.write('main', ref(name))
      const isAttack = /[/\\\0]|\.\./.test(name)
      const error = await refusal(registry.load('main.tree.json'))
      expect([name, error.rule, types().includes('security.path.traversal')]).toEqual([name, isAttack ? 'E7002' : 'E4002', isAttack])
      expect(files.touched.filter((path) => path !== '/trees' && path !== '/trees/main.tree.json')).toEqual([])
    }
  })

  // proves: tree 71
  test('a name never touches a file, and files outside of the folder are refused, also through a link', async () => {
    const { files, registry, seen } = shelf()
    files.touched.length = 0
    expect(() => registry.get('../x')).toThrow(/folder/)
    expect(files.touched).toEqual([])
    files.links.set('/trees/link.tree.json', '/etc/secret.tree.json')
    for (const path of ['/etc/x.tree.json', '../x.tree.json', 'link.tree.json'])
      expect((await refusal(registry.load(path))).rule).toBe('E7002')
    expect(seen.filter(({ type, severity }) => type === 'security.path.traversal' && severity === 'critical')).toHaveLength(4)
  })
})

describe('reloading', () => {
  const started = async (more: Partial<RegistryOptions> = {}) => {
    const world = shelf(more)
    world.files.write('main', leaf('busy'))
    const tree = await world.registry.load('main.tree.json')
    tree.tick()
    return { ...world, tree }
  }

  // proves: tree 41, tree 42
  test('by default the execution ends with the old version, and only the newest file is applied', async () => {
    const { files, registry, tree, types } = await started()
    files.write('main', leaf('ok', 'second'))
    await registry.reload('main')
    files.write('main', leaf('ok', 'third'))
    await registry.reload('main')
    expect([tree.reloadPending, registry.queueDepth, registry.get('main')]).toEqual([true, 1, tree])
    tree.cancel()
    await registry.idle()
    const now = registry.get('main')
    expect([now?.root.id, tree.reloadPending, registry.queueDepth, now?.tick().status]).toEqual(['third', false, 0, 'SUCCESS'])
    expect(types().filter((type) => type.startsWith('tree.reload'))).toEqual(['tree.reload.queued', 'tree.reload.queued', 'tree.reloaded'])
  })

  // proves: tree 43
  test('cancel_and_restart aborts, waits at most 5 s for what ignores it, and starts the new tree', async () => {
    const { files, registry, tree, clock, types } = await started()
    files.write('main', leaf('ok', 'second'))
    const done = registry.reload('main', 'cancel_and_restart')
    expect([tree.status, types().includes('tree.cancelled')]).toEqual(['FAILED', true])
    await clock.advance(4999)
    expect(registry.get('main')).toBe(tree)
    await clock.advance(1)
    await done
    expect([registry.get('main')?.root.id, registry.get('main')?.status]).toEqual(['second', 'COMPLETED'])
  })

  // proves: tree 45
  test('an immediate reload is refused', async () => {
    const { registry } = await started()
    expect((await refusal(registry.reload('main', 'immediate' as never))).code).toBe('R1217')
    expect(await refusal(registry.reload('none'))).toBeInstanceOf(TreeNotFoundError)
  })

  // proves: tree 46
  test('a broken file keeps the old tree', async () => {
    const { files, registry, seen } = shelf()
    files.write('main', leaf())
    const tree = await registry.load('main.tree.json')
    files.texts.set('/trees/main.tree.json', '{\n "id": "main",\n "root": }')
    const error = await refusal(registry.reload('main'))
    expect([error.rule, registry.get('main'), tree.tick().status]).toEqual(['E3005', tree, 'SUCCESS'])
    expect(seen.find(({ type }) => type === 'tree.reload.failed')?.payload).toMatchObject({ tree_id: 'main', line_number: 3 })
  })

  // proves: tree 47
  test('three changes within 500 ms are one reload, 500 ms after the last', async () => {
    const { files, registry, clock, types } = shelf()
    files.write('main', leaf())
    await registry.load('main.tree.json')
    registry.startWatching()
    registry.startWatching()
    files.write('main', leaf('ok', 'second'))
    for (let i = 0; i < 3; i++) {
      files.onChange?.('/trees/main.tree.json')
      files.onChange?.('/trees/notes.txt')
      await clock.advance(200)
    }
    await clock.advance(299)
    await registry.idle()
    expect(types()).not.toContain('tree.reloaded')
    await clock.advance(1)
    await registry.idle()
    expect(types().filter((type) => type === 'tree.reloaded')).toHaveLength(1)
    files.write('new', leaf())
    files.onChange?.('/trees/new.tree.json')
    await clock.advance(500)
    await registry.idle()
    expect(registry.listTrees()).toEqual(['main', 'new'])
    registry.stopWatching()
    expect(files.onChange).toBeUndefined()
  })

  // proves: tree 48, tree RC-03
  test('a reload during a tick is applied after it', async () => {
    const inside: unknown[] = []
    const made: ReturnType<typeof shelf> = shelf({
      functions: {
        ok: () => {
          void made.registry.reload('main')
          inside.push(made.registry.get('main')?.root.id)
          return 'SUCCESS'
        },
      },
    })
    made.files.write('main', leaf('ok', 'first'))
    const tree = await made.registry.load('main.tree.json')
    made.files.write('main', leaf('ok', 'second'))
    expect(tree.tick().status).toBe('SUCCESS')
    await made.registry.idle()
    expect([inside, made.registry.get('main')?.root.id]).toEqual([['first'], 'second'])
  })

  // proves: tree 49
  test('shared keys survive, and a key whose schema has changed is dropped', async () => {
    const { files, registry, globals, seen } = shelf()
    files.write('main', leaf(), { board: { kept: { type: 'int' }, changed: { type: 'int' } } })
    const tree = await registry.load('main.tree.json')
    globals.register('shared', 'int')
    globals.set('shared', 1)
    tree.blackboard.set('kept', 2)
    tree.blackboard.set('changed', 3)
    files.write('main', leaf(), { board: { kept: { type: 'int' }, changed: { type: 'str' } } })
    await registry.reload('main')
    const board = registry.get('main')?.blackboard
    expect([board?.get('shared'), board?.get('kept'), board?.has('changed')]).toEqual([1, 2, false])
    expect(seen.find(({ type }) => type === 'tree.reloaded')?.payload).toMatchObject({ dropped_keys: ['changed'], changes_detected: true })
  })

  // proves: tree 50
  test('a tree that is RUNNING or YIELDED cannot be unloaded', async () => {
    const { registry, tree } = await started()
    expect(() => registry.unload('main')).toThrow(TreeInUseError)
    tree.cancel()
    registry.unload('main')
    registry.unload('main')
    expect(registry.get('main')).toBeUndefined()
  })

  test('a tree is reloaded when one changes to which it refers', async () => {
    const { files, registry } = shelf()
    files.write('part', leaf())
    files.write('main', ref('part'))
    await registry.loadAll()
    expect(registry.get('main')?.nodeCount).toBe(2)
    files.write('part', n('inverter', { id: 'not' }, [leaf()]))
    await registry.reload('part')
    expect([registry.get('main')?.nodeCount, registry.get('main')?.tick().status]).toEqual([3, 'FAILURE'])
  })
})

test('the syntax of scripts is checked when a tree is loaded', async () => {
  const text = '{ "id": "t", "root": { "type": "script", "id": "s", "params": { "code": "return 1 +" } } }'
  await expect(new TreeLoader().loadString(text, 'trees/t.tree.json', '.tree.json')).rejects.toMatchObject({
    errors: [{ rule: 'E5001', file: 'trees/t.tree.json', line: 1, column: 74, path: 's' }],
  })
})
