import { interactive } from '../type';
import { TableView } from './view';

export const table = interactive('table', TableView);
