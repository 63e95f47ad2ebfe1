import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Reflex } from '../../packages/reflex/src/index.ts'
import { isObject, systemHost } from '../../packages/reflex/src/kernel/index.ts'
import { liveTrees } from '../../packages/reflex/src/kinds/tree/face/live.ts'
import type { TreeSource } from '../../packages/reflex/src/kinds/tree/model/source.ts'
import { OPTIONS } from './hundred.ts'

/** Returns the milliseconds from a save of a tree to the record in which a run that rests has the new version, for each version. */
export async function savedToReloaded(versions: readonly TreeSource[]): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-saved-'))
  const [first, ...later] = versions.map((version) => JSON.stringify(version))
  const file = join(folder, `${versions[0]?.id ?? 'tree'}.tree.json`)
  writeFileSync(file, first ?? '')
  const reflex = new Reflex({
    workdir: folder,
    store: 'memory:',
    tree: { nodes: [...OPTIONS.nodes.values()], functions: { 'robot.drive': () => 'SUCCESS' as const } },
  })
  try {
    const handle = await reflex.start(file, { tree: { stays: true } })
    await handle.run.idle()
    const read = async () => (await reflex.library.load(file)).program
    const saved = liveTrees.reloads(handle.run, reflex.runtime.programs, read)
    let reloaded = (): void => undefined
    handle.onRecord(({ more }) => {
      if (isObject(more?.note) && more.note['reload'] !== undefined) reloaded()
    })
    const stop = liveTrees.watch(folder, systemHost, (name) => void saved(name))
    const taken: number[] = []
    for (const text of later) {
      const done = new Promise<void>((resolve) => (reloaded = resolve))
      const begin = performance.now()
      writeFileSync(file, text)
      await done
      taken.push(performance.now() - begin)
    }
    stop()
    handle.close()
    return taken
  } finally {
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
