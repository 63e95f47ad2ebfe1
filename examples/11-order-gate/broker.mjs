// A broker. It writes each order to its book once: the id of the intent is the key. While a file `stuck` is in its folder, it books orders and
// does not say so, as a broker does whose answer is lost.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [folder] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const file = join(folder, 'orders.jsonl')
const booked = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
const known = new Set(booked.map((line) => JSON.parse(line).key))
const book = openSync(file, 'a')
const say = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`)

say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['order'] })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, intent_id: key, fields } = JSON.parse(line)
  if (type === 'end') break
  if (!known.has(key)) {
    writeSync(book, `${JSON.stringify({ ...fields, key })}\n`)
    fsyncSync(book)
    known.add(key)
  }
  if (!existsSync(join(folder, 'stuck'))) say({ type: 'intent_ack', intent_id: key, status: 'accepted', acceptance: 'durable' })
}
closeSync(book)
