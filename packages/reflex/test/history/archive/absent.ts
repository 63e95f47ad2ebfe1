/** Uses Reflex without the optional packages in a separate process, and prints the packages that were requested and the results. */
import { registerHooks } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const asked: string[] = []
registerHooks({
  resolve(name, context, next) {
    if (name !== 'hyparquet-writer' && name !== '@opentelemetry/api') return next(name, context)
    asked.push(name)
    throw Object.assign(new Error(`there is no ${name}`), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})

const { Reflex, isFault } = await import('../../../src/index.ts')
const folder = mkdtempSync(join(tmpdir(), 'reflex-absent-'))
const trouble: string[] = []
const program = { id: 'one', entry: 'a', nodes: { a: { id: 'a', spec: { writes: { x: 1 } } } }, edges: [] }

async function ran(observe?: object): Promise<void> {
  const reflex = new Reflex({
    workdir: folder,
    store: 'memory:',
    onTrouble: ({ code }) => trouble.push(code),
    ...(observe === undefined ? {} : { observe }),
  })
  await reflex.run(program)
  await reflex.exportTables(folder)
  await reflex.close()
}

try {
  await ran()
  const before = [...asked]
  const reflex = new Reflex({ workdir: folder, store: 'memory:' })
  const parquet = await reflex.exportTables(folder, 'parquet').catch((thrown: unknown) => (isFault(thrown) ? thrown.code : thrown))
  await reflex.close()
  await ran({})
  process.stdout.write(JSON.stringify({ before, parquet, trouble: [...new Set(trouble)], asked }))
} finally {
  rmSync(folder, { recursive: true })
}
