// A channel: it gets one intent on each line and acknowledges it once the page is on disk. A page that it has is not written again,
// so the route may say "keyed": true.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

const [file] = process.argv.slice(2)
mkdirSync(dirname(file), { recursive: true })
const pages = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
const taken = new Set(pages.map((line) => JSON.parse(line).intent_id))
const log = openSync(file, 'a')
const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)

say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['notify'] })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, intent_id, fields } = JSON.parse(line)
  if (type === 'end') break
  if (!taken.has(intent_id)) {
    writeSync(log, `${JSON.stringify({ intent_id, text: `CPU ${fields.cpu} for ${fields.for}` })}\n`)
    fsyncSync(log)
    taken.add(intent_id)
  }
  say({ type: 'intent_ack', intent_id, status: 'accepted', acceptance: 'durable' })
}
closeSync(log)
