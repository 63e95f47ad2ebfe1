import { describe, expect, test } from 'vitest'
import type { Fault, Json, Program } from '../../../../src/kernel/index.ts'
import { faults } from '../../../../src/kinds/tree/model/faults.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { Reloader } from '../../../../src/kinds/tree/reload/reloader.ts'
import { type FileWatcher, SaveWatch } from '../../../../src/kinds/tree/reload/save-watch.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

/** A folder whose files change when the test says so. */
function fakeFolder(): FileWatcher & { change(file: string): void; readonly watched: () => number } {
  const listeners = new Set<(file: string) => void>()
  return {
    watch(_, onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    change: (file) => listeners.forEach((listener) => listener(file)),
    watched: () => listeners.size,
  }
}

// proves: tree 47
describe('a saved file', () => {
  test('counts once, half a second after its last change', async () => {
    const [host, folder, saved] = [virtualHost(), fakeFolder(), [] as string[]]
    const watch = new SaveWatch({
      folder: '/w',
      watcher: folder,
      host,
      endings: ['.lua', '.tree.json'],
      onSaved: (file) => saved.push(file),
    })
    watch.start()
    watch.start()
    for (const wait of [0, 200, 200]) {
      await host.advance(wait)
      for (const file of ['/w/a.lua', '/w/a.lua~']) folder.change(file)
    }
    await host.advance(499)
    expect(saved).toEqual([])
    await host.advance(1)
    expect([saved, folder.watched()]).toEqual([['/w/a.lua'], 1])
  })

  test('is forgotten when the watch ends before its time', async () => {
    const [host, folder, saved] = [virtualHost(), fakeFolder(), [] as string[]]
    const watch = new SaveWatch({ folder: '/w', watcher: folder, host, endings: ['.lua'], onSaved: (file) => saved.push(file) })
    watch.start()
    folder.change('/w/a.lua')
    watch.stop()
    watch.stop()
    await host.advance(1000)
    expect([saved, folder.watched()]).toEqual([[], 0])
  })
})

describe('a reloader', () => {
  const tree = (child: NodeSource): Json =>
    ({ format: 1, id: 'main', board: {}, root: n('sequence', { id: 'root' }, [child]) }) as unknown as Json
  const add = ({ runtime }: Forest, child: NodeSource): Program => runtime.programs.add('tree', 'main', tree(child))

  async function watched(): Promise<{ world: Forest; reloader: Reloader; next: { read: Program | readonly Fault[] } }> {
    const world = await forest(n('sequence', { id: 'root' }, [leaf('a')]), { stays: true, scripts: { a: ['S'], b: ['S'] } })
    const next: { read: Program | readonly Fault[] } = { read: [] }
    const { run, runtime } = world
    const reloader = new Reloader({
      run,
      programs: runtime.programs,
      read: () => Promise.resolve(next.read),
      policy: 'let_finish_then_swap',
    })
    return { world, reloader, next }
  }

  test('gives the run the version that was saved, and nothing if it says the same', async () => {
    const { world, reloader, next } = await watched()
    next.read = add(world, leaf('b'))
    expect(await reloader.saved('main.lua')).toEqual({ program: next.read })
    expect(await reloader.saved('main.lua')).toEqual({ unchanged: true })
    await world.event('go')
    expect([world.calls, world.events.find(([type]) => type === 'tree.reloaded')?.[1]]).toEqual([
      ['a', 'b'],
      expect.objectContaining({ source_path: 'main.lua', changes_detected: true }),
    ])
  })

  // proves: tree 46
  test('leaves the old tree at work when the file is wrong, and says where', async () => {
    const { world, reloader, next } = await watched()
    next.read = [faults.make('R1202', 'BT has no fallback', { rule: 'E4002', file: 'main.lua', line: 14 })]
    expect(await reloader.saved('main.lua')).toEqual({ refused: next.read })
    await world.event('go')
    expect([world.calls, world.events.find(([type]) => type === 'tree.reload.failed')?.[1]]).toEqual([
      ['a', 'a'],
      expect.objectContaining({ error_code: 'E3005', code: 'R1202', rule: 'E4002', line: 14 }),
    ])
  })
})
