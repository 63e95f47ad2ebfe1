/** Runs the counter of a folder over its file of events, in a process that kills itself at a record: `node killed-reader.ts FOLDER RECORD`. */
import { join } from 'node:path'
import { Reflex } from '../../../../src/app/reflex.ts'

const [folder = '', record = ''] = process.argv.slice(2)
const reflex = new Reflex({ workdir: folder, store: join(folder, 'reflex.db') })
const source = join(folder, 'events', 'presses.jsonl')
const handle = await reflex.start(join(folder, 'counter.dataflow.json'), { id: 'killed', dataflow: { source } })
handle.onRecord((_, n) => {
  if (n >= Number(record)) process.kill(process.pid, 'SIGKILL')
})
await handle.idle({ until: 'end' })
await reflex.close()
