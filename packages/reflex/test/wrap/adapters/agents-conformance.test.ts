import { conformance } from '../conformance.ts'
import { agentsDriver } from './agents-driver.ts'

conformance(agentsDriver)
