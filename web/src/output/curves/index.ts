import { interactive } from '../type';
import { CurvesView } from './view';

export const curves = interactive('curves', CurvesView);
