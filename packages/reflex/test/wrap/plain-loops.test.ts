import { conformance } from './conformance.ts'
import { PLAIN_LOOPS } from './drivers/plain-loops.ts'

for (const driver of PLAIN_LOOPS) conformance(driver)
