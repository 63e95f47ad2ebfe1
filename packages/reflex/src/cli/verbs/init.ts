import { plainJson } from '../../protocol/plain.ts'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { faults } from '../../runs/faults.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, commandHint } from '../layout.ts'

/** A first program that runs anywhere, offline: it counts files, asks, and writes only if the answer is yes. */
const STARTER = `{
  // Counts the entries of the current folder, asks you, and writes the number to a file if you say yes.
  "id": "hello",
  "entry": "count",
  "nodes": {
    // A node with a tool: its result goes to the board, under "files".
    "count": { "id": "count", "spec": { "tool": "file.list", "args": { "path": "." }, "writes": { "files": "entries" } } },
    // A node at which a person decides. Its edges are the answers.
    "ask": { "id": "ask", "spec": { "ask": "Write down that there are {{files.length}} entries?" } },
    "note": {
      "id": "note",
      "spec": { "tool": "file.write", "args": { "path": "count.txt", "text": "{{files.length}}\\n" }, "writes": { "written": "path" } }
    },
    "leave": { "id": "leave", "spec": {} }
  },
  "edges": [
    { "id": "counted", "from": "count", "to": "ask", "event": "NEXT" },
    // An edge with a guard is open only if the guard passes.
    { "id": "yes", "from": "ask", "to": "note", "event": "YES", "guard": { "type": "exists", "key": "files" } },
    { "id": "no", "from": "ask", "to": "leave", "event": "NO" }
  ]
}
`

const FILE = 'hello.workflow.json'

/**
 * `reflex init [FOLDER]`: writes a first program and prints the next commands. Creates the folder if it is missing.
 * Throws `R2038` if a file of that name exists, and changes nothing then.
 */
export function init(console: Console, folder = '.'): number {
  const { cwd } = console.world.surroundings
  const path = resolve(cwd, folder, FILE)
  const name = console.nearPath(path)
  write(path, name)
  const next = [
    ['draw', console.command('graph', name)],
    ['run', console.command('run', name)],
    ['look back', console.command('trace', 'last')],
  ] as const
  if (console.shape !== 'text') console.document(plainJson({ v: 1, files: [name], next: next.map(([, command]) => command) }))
  else {
    const { out } = console
    const head = out.text(name)
    console.print([
      ...factLine(head, out.paint('bold', head), ['written', 'asks you a question, offline'], out),
      ...next.map(([label, command]) => commandHint(out, label, command)),
    ])
  }
  return EXIT.done
}

function write(path: string, name: string): void {
  if (existsSync(path)) throw existsFault(name)
  try {
    makeFolders(dirname(path))
    writeFileSync(path, STARTER, { flag: 'wx' })
  } catch (cause) {
    // Another process may have created it first.
    if (existsSync(path)) throw existsFault(name)
    throw faults.make('R5040', `${name} cannot be written`, { file: name, fix: 'name another folder: reflex init FOLDER', cause })
  }
}

function existsFault(name: string): Error {
  return faults.make('R2038', `${name} already exists`, { file: name, fix: 'name another folder: reflex init FOLDER' })
}

/** Creates folders one by one: Node's recursive mkdir never ends in places such as /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolders(dirname(folder))
  mkdirSync(folder)
}
