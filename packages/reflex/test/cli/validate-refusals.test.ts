import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

const COMMAND = join(import.meta.dirname, '../../bin/reflex.js')

interface Document {
  readonly files: readonly { readonly findings: readonly { code: string; line?: number; message: string; fix?: string }[] }[]
  readonly infos: number
}

/** The findings of `validate` in a file, in the order of its output. */
async function found(name: string, text: string): Promise<{ code: string; line?: number; message: string; fix?: string }[]> {
  const folder = workFolder()
  writeFileSync(join(folder, name), text)
  const { out } = await reflex(['validate', name, '--json'], { folder })
  return (JSON.parse(out) as Document).files.flatMap(({ findings }) => findings)
}

const node = (id: string, spec: string): string => `    "${id}": { "id": "${id}", "spec": ${spec} }`
const edges = (...ids: string[]): string => JSON.stringify(ids.slice(1).map((to, i) => ({ id: `e${i}`, from: ids[i], to, event: 'NEXT' })))

test('arguments of tools are checked against the tools, all at once and in order of place', async () => {
  const text = `{ "id": "w", "entry": "a",
  "nodes": {
${node('a', '{ "tool": "file.write", "args": { "path": "out.txt", "txt": "hello" } }')},
${node('b', '{ "tool": "file.write", "args": { "path": "out.txt" } }')},
${node('c', '{ "tool": "git.log", "args": { "limit": "many" } }')},
${node('d', '{ "tool": "git.log", "args": { "limit": { "from": "most" } } }')},
${node('e', '{ "tool": "file.write", "args": { "path": "{{where}}", "text": 7 } }')},
${node('f', '{ "tool": "file.write" }')}
  },
  "edges": ${edges('a', 'b', 'c', 'd', 'e', 'f')} }`
  const told = (await found('w.workflow.json', text)).filter(({ code }) => code === 'R4101')
  expect(told.map(({ line, message, fix }) => [line, message.split(':')[0], fix])).toMatchObject([
    [3, 'file.write has no argument "txt"', 'write "text"'],
    [4, 'file.write needs the argument "text"', 'add "text" to "args"'],
    [5, 'git.log has an invalid argument "limit"', 'write a value that the schema of the tool allows'],
    [7, 'file.write has an invalid argument "text"', 'write a value that the schema of the tool allows'],
    [8, 'file.write needs the argument "path"', 'add "path" to "args"'],
    [8, 'file.write needs the argument "text"', 'add "text" to "args"'],
  ])
})

test('specs of a program in TypeScript are checked like those in JSON', async () => {
  const text = `export const program = { id: 'w', entry: 'a', nodes: { a: { id: 'a', spec: { tool: 'git.lgo' } } }, edges: [] }`
  expect(await found('w.workflow.mjs', text)).toMatchObject([{ code: 'R4100', message: expect.stringContaining('git.log') as string }])
})

test('a module that cannot be imported is reported with the reason', async () => {
  expect(await found('w.workflow.mjs', `throw new Error('no database here')`)).toMatchObject([
    { code: 'R1023', message: expect.stringContaining('cannot be loaded: no database here') as string },
  ])
  expect(await found('x.workflow.mjs', `import 'not-a-package-at-all'`)).toMatchObject([
    { code: 'R1023', message: expect.stringContaining("Cannot find package 'not-a-package-at-all'") as string },
  ])
})

test('an ES module that Node takes for CommonJS is reported with the setting that decides it', () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
  writeFileSync(join(folder, 'a.workflow.ts'), 'export const x = 1')
  writeFileSync(join(folder, 'b.workflow.ts'), `import 'node:fs'`)
  // In a process of its own: the test runner loads modules by rules of its own.
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'validate', 'a.workflow.ts', 'b.workflow.ts', '--quiet'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stdout.match(/R1023  [ab]\.workflow\.ts|npm pkg set type=module/g)).toEqual([
    'R1023  a.workflow.ts',
    'npm pkg set type=module',
    'R1023  b.workflow.ts',
    'npm pkg set type=module',
  ])
})

test('two edges with one event are named as their author wrote them, with file and line', async () => {
  const door = join(import.meta.dirname, '../../src/kinds/workflow/index.ts')
  const text = `import { workflow } from ${JSON.stringify(door)}

export const program = workflow({
  id: 'w', entry: 'a', nodes: { a: {}, b: {}, c: {} },
  edges: [{ from: 'a', to: 'b' }, { from: 'a', to: 'c' }],
})
`
  expect(await found('w.workflow.mjs', text)).toMatchObject([
    {
      code: 'R1044',
      message: 'two edges from "a" have the event "NEXT": to "b" and to "c"',
      line: 3,
      file: expect.stringContaining('w.workflow.mjs') as string,
      fix: 'give one of them a different event or id',
    },
  ])
})

test('notes are counted and printed', async () => {
  const folder = workFolder()
  writeFileSync(join(folder, 'p.dot'), 'digraph P { start [shape=Mdiamond] a [prompt="x"] end [shape=Msquare] start -> a -> end }')
  const { out } = await reflex(['validate', 'p.dot'], { folder })
  const { infos } = JSON.parse((await reflex(['validate', 'p.dot', '--json'], { folder })).out) as Document
  expect(infos).toBeGreaterThan(0)
  expect(out.match(/^note /gm)?.length ?? out.match(/^info /gm)?.length).toBe(infos)
})
